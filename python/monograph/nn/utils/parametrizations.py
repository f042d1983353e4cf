"""torch.nn.utils.parametrizations: weights of a fixed norm, orthogonal weights, and weights split into length and direction."""

from __future__ import annotations

from typing import Any

from ... import _C, _VF
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from .. import functional as F
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from . import parametrize
from .spectral_norm import _as_matrix

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return _VF._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return _VF.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Splits a weight into its length and its direction: `parametrizations.NAME.original0` and `original1`.

    dim: the dim over which lengths are kept apart; None: one length. State dicts of the older nn.utils.weight_norm load too.
    Raises ValueError where the module has no such tensor.

    Args:
        module: the layer
        name: the name of the parameter
        dim: the dim over whose elements the norms are apart; None: one norm of the whole weight

        >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
        >>> layer.parametrizations.weight.original0.shape
        torch.Size([3, 1])
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def older(state_dict: Any, prefix: str, *rest: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(older)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        count = weight.dim()
        if dim >= count or dim < -count:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{count}, {count - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim, self.eps = dim % count, eps
        if count > 1:
            self.n_power_iterations = n_power_iterations
            matrix = _as_matrix(weight, self.dim)
            u, v = (matrix.new_empty(n).normal_(0, 1) for n in matrix.shape)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps).detach())
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps).detach())
            self._power_method(matrix, 15)

    def _power_method(self, matrix: Tensor, steps: int) -> None:
        with no_grad():
            for _ in range(steps):
                self._u.copy_(F.normalize(_VF.mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(_VF.mv(matrix.t(), self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = _as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # a later step writes to them before the gradient of this one
        return weight / _VF.vdot(u, _VF.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None) -> Module:
    """Divides a weight by its greatest singular value, which power iteration follows.

    n_power_iterations: steps at each use in training. eps: against division by zero. dim: which dim counts as rows; None: 0, and 1 for transposed
    convolutions. Raises ValueError where the module has no such tensor, or for n_power_iterations below 1; IndexError for a dim that is not there.

    Args:
        module: the layer
        name: the name of the parameter
        n_power_iterations: how many steps of the power iteration each run in training takes
        eps: a small number that keeps divisions from 0
        dim: the dim of the outputs; None: 0, or 1 for a transposed convolution

        >>> layer = nn.utils.parametrizations.spectral_norm(nn.Linear(2, 3))
        >>> (layer.weight @ layer.weight.T).trace() < 2.01
        tensor(True)
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    return parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


def _identity(a: Tensor) -> Tensor:
    made = a.new_zeros([a.size(-1), a.size(-1)])
    made.diagonal().fill_(1)
    return made


def _made_orthogonal(a: Tensor) -> Tensor:
    """The nearest sign of Q of each matrix of a batch."""
    packed, tau = _VF.geqrf(a)
    return _VF.orgqr(packed, tau) * packed.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def _is_orthogonal(q: Tensor) -> bool:
    eps = {4: 1.1920928955078125e-07, 8: 2.220446049250313e-16}.get(q.dtype.to_real().itemsize, 0.0078125)
    return bool(((q.mH @ q - _identity(q)).abs() <= 10 * q.size(-2) * eps).all())


class _Orthogonal(Module):
    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        wide = x.size(-2) < x.size(-1)
        x = x.mT if wide else x
        rows, columns = x.size(-2), x.size(-1)
        if self.orthogonal_map != "householder":
            x = x.tril()
            if rows != columns:
                x = _VF.cat([x, x.new_zeros([*x.shape[:-1], rows - columns])], dim=-1)
            skew, one = x - x.mH, _identity(x)
            if self.orthogonal_map == "matrix_exp":
                q = _VF.matrix_exp(skew)
            else:  # Cayley's map
                q = _C._linalg.linalg_solve(one.sub(skew, alpha=0.5), one.add(skew, alpha=0.5))
            q = q[..., :columns]
        else:
            a = x.tril(-1)
            q = _VF.orgqr(a, 2.0 / (1.0 + (a * a).sum(dim=-2))) * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        if "base" in self._buffers:
            q = self.base @ q
        return q.mT if wide else q

    def right_inverse(self, q: Tensor) -> Tensor:
        if q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {q.shape}.")
        with no_grad():
            wide = q.size(-2) < q.size(-1)
            tall = q.mT if wide else q
            if "base" not in self._buffers:
                return self._reflections(tall, wide)
            rows, columns = tall.size(-2), tall.size(-1)
            if rows != columns:
                tall = _VF.cat([tall, _VF.randn([*tall.shape[:-2], rows, rows - columns], dtype=tall.dtype)], dim=-1)
                self.base = _made_orthogonal(tall)
            else:
                self.base = tall.clone() if _is_orthogonal(tall) else _made_orthogonal(tall)
            minus = _VF.zeros_like(q)
            minus.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return minus

    def _reflections(self, tall: Tensor, wide: bool) -> Tensor:
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when use_trivialization=False."
            )
        a, tau = _VF.geqrf(tall)
        diagonal = a.diagonal(dim1=-2, dim2=-1)
        diagonal.sign_()
        diagonal[tau == 0.0] *= -1
        return a.mT if wide else a


def orthogonal(module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True) -> Module:
    """Keeps a matrix, or each of a batch, orthogonal: with orthogonal rows or columns, whichever are fewer.

    orthogonal_map: "matrix_exp" (for square matrices where it is None), "householder" (for others), or "cayley". use_trivialization: keeps the
    matrix it starts from beside.
    Raises ValueError for a tensor with fewer than two dims, a name without a tensor, or another map.

    Args:
        module: the layer
        name: the name of the parameter
        orthogonal_map: "matrix_exp", "cayley" or "householder"; None: matrix_exp for a square weight, else householder
        use_trivialization: whether the present weight becomes the origin of the map; None: yes

        >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
        >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(3), atol=1e-5)
        True
    """
    weight: Any = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.dim() < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.dim()} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    if orthogonal_map == "householder" and weight.is_complex():
        raise ValueError("The householder parametrization does not support complex tensors.")
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)
