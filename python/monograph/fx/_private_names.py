"""Private names of torch.fx's modules that packages import, and that have no meaning here: using one raises the sentence that says so."""

from __future__ import annotations

from typing import Any, NoReturn

from .._absent import sentence


class Absent:
    """Stands for such a name. Calling it, and reading anything of it, raises NotImplementedError."""

    def __init__(self, full: str):
        self._full = full

    def _refuse(self) -> NoReturn:
        raise NotImplementedError(sentence(self._full))

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what inspect and copy look for
            raise AttributeError(name)
        self._refuse()

    def __iter__(self) -> NoReturn:
        self._refuse()

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        """A class that derives from it."""
        self._refuse()

    def __repr__(self) -> str:
        return f"<{self._full}, which Monograph lacks>"


_NAMES = {
    "torch.fx.graph": "_BoxedCodeGen _ExportCodeGen _FindNodesLookupTable _color_codes _color_fns _counter_regexp _identity _make_color_fn _override_sym_repr",
    "torch.fx.node": "_side_effectful_need_to_be_preserved_pre_dispatch",
    "torch.fx.proxy": "_STACK_TRACE_ANCHORS _create_arg_bypass _create_arg_dict _define_reflectable _find_arbitrary_callable _get_seq_nr _is_arbitrary_callable _no_nodes_error "
    "_register_stack_trace_anchor",
}


def of_name(name: str) -> Any:
    """What stands for a private name of PyTorch that has no meaning here; None for another name. The modules of these names ask at its first use."""
    return next((Absent(f"{home}.{name}") for home, names in _NAMES.items() if name in names.split()), None)
