"""Read by every Python process of TestInterop when it starts: what their telemetry needs, and what is released lacks.

nemo-gym 0.7.0 uses names of nemo-lens that the released nemo-lens 0.1.0 does not have yet, and records nothing without them.
uvicorn keeps the context of one request of a connection for the next one (python/cpython#140947), so that the next one's span
would stand below the first one's, unless it is told not to.
"""

import functools

try:
    import uvicorn
    from nemo.lens import groups, semconv
except ImportError:  # an older nemo-gym, which has no telemetry
    pass
else:
    uvicorn.run = functools.partial(uvicorn.run, reset_contextvars=True)
    semconv.NV_DL_RANK = "dl.rank"
    semconv.NV_DL_WORLD_SIZE = "dl.world_size"

    class SpanRegistry:
        @staticmethod
        def register(namespace, groups, presets, allow_override=False):
            known.ALL_GROUPS |= groups
            for name, members in presets.items():
                known._PRESETS[name] = known._PRESETS.get(name, frozenset()) | members
            known._PRESETS["all"] = known.ALL_GROUPS

    known = groups.SpanGroup
    groups.SpanRegistry = SpanRegistry
