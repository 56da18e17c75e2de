"""What the steps share: the server without a certificate, the user, and the count of what was seen."""

import pathlib

from .bytes import b64
from .client import Answer, Refused, Server, nonce, require


class Steps:
    def __init__(self, url: str, ca: str, user: str, password: str, folder: pathlib.Path) -> None:
        self.url, self.ca, self.user, self.password, self.folder = url, ca, user, password, folder
        self.server = Server(url, ca)
        self.count = self.refused = 0

    def done(self, what: str) -> None:
        self.count += 1
        print(f"ok       {what}", flush=True)

    def refuse(self, what: str, answer: Answer, status: int, code: str) -> Answer:
        """The answer is this refusal."""
        found = (answer.status_code, answer.code)
        require(found == (status, code), f"{what}: {found[0]} {found[1]}, not {status} {code}: {answer.body[:300]!r}")
        if status in (429, 503):
            require(int(answer.headers["retry-after"]) >= 1, "it does not say when to come again")
        if status == 401:
            require(answer.headers["www-authenticate"] == 'Bearer realm="latchkey"', "it names no scheme")
        self.refused += 1
        print(f"refused  {what}: {status} {code}", flush=True)
        return answer

    def accept(self, what: str, answer: Answer, status: int = 200) -> Answer:
        """The answer has this status."""
        require(answer.status_code == status, f"{what}: {answer.status_code}, not {status}: {answer.body[:300]!r}")
        self.done(what)
        return answer

    def raises(self, what: str, kinds, action) -> None:
        """The client itself refuses."""
        try:
            action()
        except kinds:
            self.refused += 1
            print(f"refused  {what}", flush=True)
            return
        raise Refused(f"{what}: it was taken")

    def login(self, password: str | None = None) -> Answer:
        return self.server.call("POST", "/v1/login", {"user": self.user, "password": password or self.password})

    def token(self) -> str:
        answer = self.login()
        require(answer.status_code == 200, f"the login is {answer.status_code} {answer.body!r}")
        return answer.json["token"]

    def register(self, token: str, request: bytes, key: str | None = None, name: str = "Python", **more) -> Answer:
        body = {"name": name, "signingRequest": b64(request)} | more
        return self.server.call(
            "POST", "/v1/devices", body, authorization=f"Bearer {token}", idempotency_key=key or nonce()
        )
