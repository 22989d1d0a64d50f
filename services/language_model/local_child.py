"""A child process that serves a model file.

`python -m services.language_model.local_child SOCKET FILE NAME CONTEXT` takes connections from the parent's
listening socket, given as a descriptor, and the key from `API_KEY`; CONTEXT is in tokens. It says "ready" on
its standard output once the model is loaded, and ends when its standard input does: with the parent, however
that ends. Other settings of llama-cpp-python's server (`N_THREADS`, `N_GPU_LAYERS`, ...) are taken from the
environment.
"""

from __future__ import annotations

import os
import socket
import sys
from threading import Thread

import uvicorn


def main() -> None:
    """Serve until the parent is gone."""
    descriptor, file, name, context = sys.argv[1:]
    Thread(target=_end_with_parent, daemon=True).start()
    ready = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no message to the parent

    from llama_cpp.server.app import create_app  # loads the library, which takes a while
    from llama_cpp.server.settings import ModelSettings, ServerSettings

    server = ServerSettings(api_key=os.environ["API_KEY"], interrupt_requests=False)
    model = ModelSettings(
        model=file, model_alias=name, n_ctx=int(context), logits_all=False, verbose=False, cache=False
    )
    app = create_app(server_settings=server, model_settings=[model])
    os.write(ready, b"ready\n")
    config = uvicorn.Config(app, access_log=False, timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(descriptor))])


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
