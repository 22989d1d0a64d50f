"""Intent: is this chit-chat, and if not, what kind of question is it?"""

import vta  # noqa: F401 (before ONNX Runtime)
