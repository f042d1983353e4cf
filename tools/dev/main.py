"""The entry of ./dev: one verb a module, each with `SUMMARY`, `arguments(parser)` and `run(options)`."""

from __future__ import annotations

import argparse
import difflib
import importlib
import sys

from common import Failure

VERBS = ["setup", "build", "demo", "test", "bench", "coverage", "programs", "survey", "lint", "format", "docs", "claims"]
EPILOG = """\
On a fresh Debian 12, as root or with sudo, each verb first installs what it needs and builds.

  ./dev build               builds the library, the Python package and the command `monograph`
  ./dev test -k softmax     runs the tests whose names contain "softmax"

`./dev VERB --help` explains a verb, with examples."""


def module_of(verb: str):
    return importlib.import_module(f"verb_{verb}")


def usage() -> str:
    lines = ["usage: ./dev VERB [options]", ""]
    lines += [f"  {verb:<10}{module_of(verb).SUMMARY}" for verb in VERBS]
    return "\n".join([*lines, "", EPILOG])


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(usage())
        return 0
    verb, *rest = arguments
    if verb not in VERBS:
        near = difflib.get_close_matches(verb, VERBS, n=1, cutoff=0.0)[0]
        print(f"dev: no verb '{verb}'; did you mean '{near}'? `./dev --help` lists them all.", file=sys.stderr)
        return 2
    module = module_of(verb)
    parser = argparse.ArgumentParser(
        prog=f"./dev {verb}", description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    module.arguments(parser)
    try:
        return module.run(parser.parse_args(rest)) or 0
    except Failure as failure:
        print(f"dev: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("dev: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
