"""torch.nn.utils: gradients kept small, parameters as one vector or computed from others, fused layers, and sequences of several lengths."""

from . import rnn
from .clip_grad import clip_grad_norm, clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from .convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "rnn",
    "vector_to_parameters",
]


def _import_submodules() -> None:
    """What is made of layers, which import this package."""
    from . import fusion, init, memory_format, parametrizations, parametrize, spectral_norm, stateless, weight_norm

    for module, names in (
        (fusion, fusion.__all__),
        (init, ["skip_init"]),
        (memory_format, memory_format.__all__),
        (spectral_norm, ["remove_spectral_norm", "spectral_norm"]),
        (weight_norm, ["remove_weight_norm", "weight_norm"]),
    ):
        globals().update({name: getattr(module, name) for name in names})
        __all__.extend(names)
    globals().update(parametrizations=parametrizations, parametrize=parametrize, stateless=stateless)
