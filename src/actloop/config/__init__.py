"""Layer 6: from settings to live objects. `settings` reads the environment and the files, `wiring` builds from them."""

from actloop.config.settings import EMBEDDED, ModelSettings, Settings, debug_wanted, load_settings

__all__ = ["EMBEDDED", "ModelSettings", "Settings", "debug_wanted", "load_settings"]
