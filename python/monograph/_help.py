"""What help() and editors say of an operator: its calls with types, a sentence, the arguments one by one, and an example.

The sentence stands on the operator's record (`.doc`), and so do words about an argument that other operators lack, and an example:

    .doc("The sum of all elements.\\n\\ndim: The dims to sum over.\\n\\n>>> torch.sum(torch.tensor([1, 2]))")

_argument_words.txt has the words for arguments that many operators share. _function_words.txt has such texts of functions of nn.functional that are Python around
operators. _examples.txt has an example for each operator, with its result:
tools/examples.py calls the operators and writes it, and a test runs it.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

from . import _C
from ._signatures import Form, ParameterText, python_type

_FOLDER = Path(__file__).parent


class _Omitted:
    """The default of an argument that some overloads lack."""

    def __repr__(self) -> str:
        return "..."


OMITTED = _Omitted()


class RecordWords(NamedTuple):
    """What a record says."""

    text: str
    arguments: dict[str, str]
    example: list[str]  # the calls, without results


def words_of(doc: str) -> RecordWords:
    """The parts of a record's text: paragraphs, then a line for each argument that has words of its own, then the calls of an example."""
    paragraphs, arguments, example = [], {}, []
    for line in doc.splitlines():
        if line.startswith(">>> "):
            example.append(line.removeprefix(">>> "))
        elif named := re.match(r"(\w+): (?=\S)", line):
            arguments[named[1]] = line[named.end() :]
        else:
            paragraphs.append(line)
    return RecordWords("\n".join(paragraphs).strip(), arguments, example)


def _plain_type(schema_type: str) -> str:
    """"SymInt[2]?" as the file of words has it: "int[]?"."""
    return re.sub(r"\[\d+\]", "[]", schema_type).replace("SymInt", "int")


@functools.cache
def _shared_words() -> dict[str, str]:
    lines = (_FOLDER / "_argument_words.txt").read_text(encoding="utf-8").splitlines()
    entries = (line.partition(": ") for line in lines if line and not line.startswith("#"))
    return {key: text for key, _, text in entries}


@functools.cache
def function_words() -> dict[str, str]:
    """The texts of functions of nn.functional in Python, by name."""
    blocks = ("\n" + (_FOLDER / "_function_words.txt").read_text(encoding="utf-8")).split("\n## ")[1:]
    return {name: text.strip() for name, _, text in (block.partition("\n") for block in blocks)}


def shared_words(parameter: ParameterText) -> str:
    """What an argument of this name and type means everywhere; "" where that depends on the operator."""
    kind, words = _plain_type(parameter.schema_type), _shared_words()
    for key in (f"{parameter.name} ({kind})", f"{parameter.name} ({kind.removesuffix('?')})", parameter.name):
        if key in words:
            return words[key]
    return ""


@functools.cache
def _examples() -> dict[str, str]:
    blocks = (_FOLDER / "_examples.txt").read_text(encoding="utf-8").split("\n\n")
    named = (block.partition(":\n") for block in blocks if not block.startswith("#"))
    return {name: text.rstrip() for name, _, text in named}


def is_method(function: Any) -> bool:
    return isinstance(function, _C.BuiltinMethod)


def _self_name(function: Any) -> str:
    """torch.add calls its first tensor input. In a method, and in torch.ops, it is self."""
    return "self" if is_method(function) or isinstance(function, (_C.OpOverloadPacket, _C.OpOverload)) else "input"


def is_written_in_python(function: Any) -> bool:
    """A function of nn.functional: Python around an operator."""
    return isinstance(function, _C._Overridable)


@functools.cache
def _operators() -> dict[str, Any]:
    tables = _C._functions()
    return {**tables[""], **tables["_nn"]}


def facts_of(function: Any) -> list[dict[str, Any]]:
    """What the records say; of a function in Python, the record of its name."""
    if is_written_in_python(function):
        operator = _operators().get(function.__name__)
        return operator._facts if operator else []
    return function._facts


def own_words(function: Any) -> RecordWords:
    """What a function in Python says besides the record of its name."""
    return words_of(function_words().get(function.__name__, "") if is_written_in_python(function) else "")


def key_of(function: Any) -> str:
    """Its name in _examples.txt."""
    return f"nn.functional.{function.__name__}" if is_written_in_python(function) else function.__qualname__


_TYPES = {"Tensor": "Tensor", "Tensor | float": "Tensor", "int": "int", "float": "float", "bool": "bool", "str": "str"}


def _schema_type(annotation: Any) -> str:
    """The type of an argument in Python, as schemas write it."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    inner = re.sub(r"^(typing\.)?Optional\[(.*)\]$|\s*\|\s*None$", r"\2", text)
    listed = "List" in inner or "Sequence" in inner or "tuple" in inner.lower()
    return (_TYPES.get(inner, "int[]" if listed else "Any")) + "?" * (inner != text)


def _form_in_python(function: Any) -> Form:
    form = Form("aten::f() -> Tensor")
    form.name = function.__name__
    for name, p in inspect.signature(function.__wrapped__).parameters.items():
        kind = _schema_type(p.annotation)
        default = "" if p.default is p.empty else repr(p.default)
        form.parameters.append(ParameterText(name, python_type(kind), default, p.kind is p.KEYWORD_ONLY, kind))
    return form


def _key(parameters: list[ParameterText]) -> tuple[str, ...]:
    return tuple(f"{p.name} {p.schema_type}" for p in parameters)


def forms_of(function: Any) -> list[Form]:
    """The calls that Python has, each with the out= that another overload gives it."""
    if is_written_in_python(function):
        return [_form_in_python(function)]
    method, facts = is_method(function), function._facts
    listed: list[Form] = []
    outs: dict[tuple[str, ...], list[str]] = {}
    for schema, fact in zip(function._schemas, facts):
        if not fact["in_python"]:
            continue
        form = Form(str(schema), False, _self_name(function))
        written = [a.name for a in schema.arguments if a.is_out]
        others = [p for p in form.parameters if p.name not in written]
        if written:
            outs[_key(others)] = written
        elif not method or (others and others[0].schema_type == "Tensor" and schema.arguments[0].name == "self"):
            form.words = words_of(fact["doc"]).text
            listed.append(form)
    for form in listed:
        written = outs.get(_key(form.parameters)) or outs.get(_key([p for p in form.parameters if p.name not in _OF_FACTORIES]), [])
        if written and not method:
            kind = "Tensor" if len(written) == 1 else f"tuple[{', '.join(['Tensor'] * len(written))}]"
            form.parameters.append(ParameterText("out", f"{kind} | None", "None", True, "Tensor?"))
        if method:
            form.parameters, form.method = form.parameters[1:], True
    return listed


_OF_FACTORIES = frozenset(("dtype", "layout", "device", "pin_memory", "requires_grad"))  # which out= replaces


def call_lines(function: Any) -> list[str]:
    """sum(input: Tensor, *, dtype: dtype | None = None) -> Tensor, and so on."""
    name = function.__name__
    if is_written_in_python(function):
        signature = inspect.signature(function.__wrapped__)
        written = [f"{n}: {p.annotation}" + ("" if p.default is p.empty else f" = {p.default!r}") for n, p in signature.parameters.items()]
        return [f"{name}({', '.join(written)}) -> {signature.return_annotation}"]
    return list(dict.fromkeys(name + text for form in forms_of(function) for text in form.texts()))


def _merged(function: Any) -> list[inspect.Parameter] | None:
    """Parameters that take every call of every overload; None where the overloads have different ones at a place."""
    forms = forms_of(function)
    places = max((len(f.positional) for f in forms), default=0)
    if not forms or any(f.takes_loose_numbers for f in forms):
        return None
    merged: list[inspect.Parameter] = []
    if is_method(function):
        merged.append(inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY, annotation="Tensor"))
    by_place = [{f.positional[i].name for f in forms if len(f.positional) > i} for i in range(places)]
    if any(len(names) > 1 for names in by_place):
        return None
    by_position = [names.pop() for names in by_place]
    keywords = list(dict.fromkeys(p.name for f in forms for p in f.parameters if p.keyword_only and p.name not in by_position))
    may_be_omitted = False
    for name in (*by_position, *keywords):
        found = [p for f in forms for p in f.parameters if p.name == name]
        defaults = list(dict.fromkeys(p.default for p in found))
        everywhere = len(found) == len(forms)
        kind = inspect.Parameter.KEYWORD_ONLY if name in keywords else inspect.Parameter.POSITIONAL_OR_KEYWORD
        default: Any = inspect.Parameter.empty
        if everywhere and len(defaults) == 1 and defaults[0] not in ("", "..."):
            default = _literal(defaults[0])
        elif not everywhere or defaults != [""] or (may_be_omitted and name not in keywords):
            default = OMITTED
        may_be_omitted |= default is not inspect.Parameter.empty
        types = " | ".join(dict.fromkeys(part for p in found for part in p.type.split(" | ")))
        merged.append(inspect.Parameter(name, kind, default=default, annotation=types))
    return merged


def _literal(text: str) -> Any:
    import ast

    return ast.literal_eval(text)


def signature(function: Any) -> inspect.Signature:
    """What inspect.signature gives: the parameters of all overloads together, or (*args, **kwargs) where they do not fit into one list."""
    results = " | ".join(dict.fromkeys(form.returns for form in forms_of(function))) or inspect.Signature.empty
    merged = _merged(function)
    if merged is None:
        merged = [inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL), inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)]
        if is_method(function):
            merged.insert(0, inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY, annotation="Tensor"))
    return inspect.Signature(merged, return_annotation=results)


def argument_words(function: Any) -> dict[str, str]:
    """Each argument with what it means; "" where neither the record nor the shared words say it."""
    own = own_words(function).arguments
    for fact in facts_of(function):
        own = {**words_of(fact["doc"]).arguments, **own}
    found: dict[str, str] = {}
    for form in forms_of(function):
        for p in form.parameters:
            if p.name.startswith("_"):
                continue
            said = own.get("self" if p.name == "input" and "input" not in own else p.name) or shared_words(p)
            found[p.name] = _same_argument(found.get(p.name, ""), said)
    return found


def _same_argument(before: str, said: str) -> str:
    """The words of an argument that is a tensor in one overload and a number in another: the first ones."""
    return before or said


def main_words(function: Any) -> RecordWords:
    """Of the first overload that says something."""
    return next((words_of(fact["doc"]) for fact in facts_of(function) if fact["in_python"] and fact["doc"]), RecordWords("", {}, []))


def sentences_of(function: Any) -> str:
    """The function's sentences, or those of its record. A function calls the first tensor input, where the record says self."""
    text = own_words(function).text or _words_of_calls(function) or main_words(function).text
    takes_input = any(p.name == "input" for form in forms_of(function) for p in form.parameters)
    return re.sub(r"\bself\b", "input", text) if takes_input else text


def _words_of_calls(function: Any) -> str:
    """A line for each call, where the calls do different things; else ""."""
    said: dict[str, Form] = {}
    for form in forms_of(function):
        said.setdefault(form.words, form)
    if len(said) < 2 or "" in said:
        return ""
    names = {words: ", ".join(p.name for p in form.parameters if p.name != "out") for words, form in said.items()}
    return "\n".join(f"{function.__name__}({names[words]}): {words}" for words in said)


def shape_words(function: Any) -> str:
    """What follows for the shapes from the kind of the record; "" where its own rule says it."""
    fact = next((f for f in facts_of(function) if f["in_python"]), None)
    if fact is None:
        return ""
    tensors = {p.name for form in forms_of(function)[:1] for p in form.parameters if p.schema_type == "Tensor" and p.name != "out"}
    if fact["pointwise"]:
        several = len(tensors) + is_method(function) > 1
        return "The tensors broadcast together, and the result has the shape that follows." if several else "The result has the shape of the tensor."
    if fact["reduces"]:
        named = {p.name for form in forms_of(function) for p in form.parameters}
        stay = ", or has size 1 there if `keepdim` is True" if {p for p in named if p.startswith("keepd")} else ""
        return f"The result lacks the dims that were worked along{stay}."
    return ""


def result_words(function: Any) -> str:
    forms = forms_of(function)
    if not forms:
        return ""
    name, result = function.__name__, forms[0].result
    if name.endswith("_") and not name.endswith("__") and result == "Tensor":
        return "The tensor itself, changed."
    may_copy = re.search("where it can be|where nothing changes", main_words(function).text)
    if not may_copy and any(fact["view"] for fact in facts_of(function)[:1]):
        return "A view: it shares the memory of the tensor."
    parts = [part.split(" ") for part in result.strip("()").split(", ") if part]
    if len(parts) > 1 and all(len(part) == 2 for part in parts):
        return f"A named tuple ({', '.join(part[1] for part in parts)})."
    return ""


def example_of(function: Any) -> str:
    """The example with its result, as a doctest; "" where there is none."""
    return _examples().get(key_of(function), "")


def body(function: Any) -> str:
    """All but the calls: what a stub has as its docstring."""
    paragraphs = [sentences_of(function)]
    others = {fact["other_name_of"] for fact in facts_of(function) if fact["in_python"]} - {""}
    if others:
        paragraphs.append(f"Another name of {', '.join(sorted(others))}.")
    if words := argument_words(function):
        lines = [textwrap.fill(f"{name}: {said}".rstrip(": "), 110, initial_indent="    ", subsequent_indent="        ") for name, said in words.items()]
        paragraphs.append("\n".join(["Args:", *lines]))
    if shapes := shape_words(function):
        paragraphs.append(f"Shapes: {shapes}")
    if result := result_words(function):
        paragraphs.append(f"Returns: {result}")
    reasons = {fact["no_gradient"] for fact in facts_of(function) if fact["in_python"]}
    if reasons and "" not in reasons:
        paragraphs.append(f"No gradient: {'; '.join(sorted(reasons))}.")
    if example := example_of(function):
        paragraphs.append("Example:\n\n" + textwrap.indent(example, "    "))
    return "\n\n".join(p for p in paragraphs if p)


def documentation(function: Any) -> str:
    """What help() prints and __doc__ is."""
    calls = call_lines(function) or [str(schema) for schema in getattr(function, "_schemas", ())]
    return "\n".join(calls) + "\n\n" + body(function) + "\n"
