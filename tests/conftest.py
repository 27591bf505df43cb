"""What every test shares."""

import os
import signal

from hypothesis import HealthCheck, settings

# A busy machine is no finding: no deadline for one example, none for making examples. CI tries the same ones each time.
settings.register_profile(
    "actloop", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("actloop")

# A shell without job control starts what goes to the background with Ctrl-C ignored, and that would be inherited by the
# processes that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
