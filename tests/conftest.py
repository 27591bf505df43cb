"""What every test shares."""

import os

from hypothesis import HealthCheck, settings

# A busy machine is no finding: no deadline for one example, none for making examples. CI tries the same ones each time.
settings.register_profile(
    "actloop", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("actloop")
