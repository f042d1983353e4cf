"""Names of PyTorch that begin with an underscore, which packages import or call and Monograph lacks: modules, functions and classes. Each raises its sentence when it
is used. PyTorch has many more, of which Monograph says what Python says of a name that is nowhere."""

MODULES = """
_custom_ops _decomp _dispatch _dynamo _export _functorch _guards _higher_order_ops _inductor _library _logging _numpy _prims _prims_common _refs _subclasses
_utils_internal _weights_only_unpickler
"""
NAMES = {"torch": "_grouped_mm _scaled_mm", "torch._C": "_ExcludeDispatchKeyGuard _jit_set_nvfuser_guard_mode"}
