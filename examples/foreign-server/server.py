"""OpenAI's reference server of gpt-oss, whose model plays a script: python server.py PORT

Its model is one function. This one plays the tokens that POST /script was given last. The tools that the server runs by
itself answer from here, so that nothing needs Docker or the network.
"""

import socket
import sys

import uvicorn
from fastapi import Request
from gpt_oss.responses_api import api_server
from gpt_oss.tools.python_docker import docker_tool
from gpt_oss.tools.simple_browser.page_contents import PageContents
from openai_harmony import HarmonyEncodingName, load_harmony_encoding

RETURN = 200002
script: list[int] = []


def infer_next_token(tokens, temperature=0.0, new_request=False):
    return script.pop(0) if script else RETURN


app = api_server.create_api_server(infer_next_token, load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS))


@app.post("/script")
async def take_script(request: Request):
    script[:] = await request.json()
    return {}


class OnePage:
    """A web that is one page."""

    def __init__(self, source):
        self.source = source

    async def search(self, query, topn, session):
        return await self.fetch("https://example.com/search", session)

    async def fetch(self, url, session):
        return PageContents(url=url, title="Tides", text="The tide is high.", urls={})


api_server.ExaBackend = OnePage
docker_tool.call_python_script = lambda code: "42\n"
# It prints every token.
api_server.print = lambda *texts, **how: None

listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])
