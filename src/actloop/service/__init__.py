"""Layer 7: agents over HTTP. So far only the form that events have on the wire (`actloop.service.wire`)."""
