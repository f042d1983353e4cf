"""torch._dynamo.exc: the errors of torch.compile."""

from __future__ import annotations


class TorchDynamoException(RuntimeError):
    """The base of all."""


class InternalTorchDynamoError(TorchDynamoException):
    pass


class ResetRequired(TorchDynamoException):
    pass


class InvalidBackend(TorchDynamoException):
    def __init__(self, name: object):
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


class BackendCompilerFailed(TorchDynamoException):
    """The backend of torch.compile has raised an error."""


class RestartAnalysis(TorchDynamoException):
    pass


class SkipFrame(TorchDynamoException):
    pass


class UncapturedHigherOrderOpError(TorchDynamoException):
    pass


class IncorrectUsage(Exception):
    pass


class Unsupported(TorchDynamoException):
    """fullgraph=True, and the function cannot be captured as one graph: the line, the cause and the cure."""


class UserError(Unsupported):
    pass


class RecompileError(TorchDynamoException):
    pass


class RecompileLimitExceeded(Unsupported):
    pass


class FailOnRecompileLimitHit(TorchDynamoException):
    pass


class TorchRuntimeError(TorchDynamoException):
    pass


class ArgsMismatchError(Unsupported):
    pass
