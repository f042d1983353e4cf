"""torch.hub: where PyTorch keeps downloaded files. Monograph downloads nothing; it reads what is there."""

from __future__ import annotations

import os
import re
from typing import Any, NoReturn
from urllib.parse import urlparse


class _Faketqdm:
    """What tqdm is without its package: an iteration that shows nothing."""

    def __init__(self, iterable: Any = None, *args: Any, **kwargs: Any) -> None:
        self.iterable, self.n = iterable, 0

    def __iter__(self) -> Any:
        return iter(self.iterable if self.iterable is not None else ())

    def update(self, n: int = 1) -> None:
        self.n += n

    def close(self) -> None: ...

    def set_description(self, *args: Any, **kwargs: Any) -> None: ...

    def write(self, s: str) -> None: ...

    def __enter__(self) -> _Faketqdm:
        return self

    def __exit__(self, *exc: object) -> None: ...


try:
    from tqdm import tqdm  # type: ignore[import-untyped]
except ImportError:
    tqdm = _Faketqdm

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")  # of a file such as resnet18-5c106cde.pth
READ_DATA_CHUNK = 128 * 1024
_state: dict[str, str | None] = {"dir": None}


def _get_torch_home() -> str:
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder of downloaded models: what set_dir was given, or TORCH_HOME/hub.

        >>> torch.hub.set_dir("models"), torch.hub.get_dir()
        (None, 'models')
    """
    return _state["dir"] or os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Sets the folder of downloaded models."""
    _state["dir"] = os.path.expanduser(os.fspath(d))


def _refuse(what: str, file: str) -> NoReturn:
    raise NotImplementedError(f"{what}: Monograph downloads nothing. Download the file yourself to {file}, or load it with torch.load(path)")


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Raises NotImplementedError: Monograph downloads nothing."""
    _refuse(f"download_url_to_file({url!r})", dst)


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True, check_hash: bool = False, file_name: str | None = None, weights_only: bool = True
) -> dict[str, Any]:
    """What torch.load reads of the file of this address, which must be in model_dir (get_dir()/checkpoints) already.

    file_name: its name there, the address's where it is None. Raises NotImplementedError where the file is not there.
    """
    from .serialization import load

    file = os.path.join(model_dir or os.path.join(get_dir(), "checkpoints"), file_name or os.path.basename(urlparse(url).path))
    if not os.path.exists(file):
        _refuse(f"load_state_dict_from_url({url!r})", file)
    return load(file, map_location=map_location, weights_only=weights_only)
