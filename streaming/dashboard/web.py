"""The web application: one route per page, its JSON beside it."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response
from starlette.routing import Route

from streaming.dashboard.groups import SORTS
from streaming.dashboard.json_form import encode, plain
from streaming.dashboard.links import Address
from streaming.dashboard.pages.group import GroupNotFoundError, group_page
from streaming.dashboard.pages.overview import overview, watched
from streaming.dashboard.pages.rebalances import rebalances
from streaming.dashboard.pages.what_if import json_of, what_if
from streaming.dashboard.render import ASSETS, asset, asset_version, render
from streaming.dashboard.security import SecurityHeaders
from streaming.tables.reader import TablesError, TablesNotFoundError

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams
    from starlette.requests import Request

    from streaming.dashboard.site import Site

_LOG = logging.getLogger(__name__)
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
View = Callable[["Site", "QueryParams"], Any]


@dataclass(frozen=True, slots=True)
class _Page:
    """A page, and the JSON beside it.

    Attributes:
        path: address of the page; its JSON is at ``/api`` before it.
        template: its template.
        view: the query to what it shows.
        parameters: those it knows, kept in its links.
        as_json: what it shows to plain data.
    """

    path: str
    template: str
    view: View
    parameters: tuple[str, ...]
    as_json: Callable[[Any], object] = plain

    @property
    def api_path(self) -> str:
        return "/api" + (self.path if self.path != "/" else "/overview")


PAGES = (
    _Page(
        "/",
        "overview.html",
        overview,
        ("q", "cluster", "level", "sort", "reverse", "page", "window"),
    ),
    _Page(
        "/group",
        "group.html",
        group_page,
        ("cluster", "id", "generation", "window", "target", "whole"),
    ),
    _Page(
        "/rebalances",
        "rebalances.html",
        rebalances,
        ("q", "cluster", "cause", "wasteful", "window", "page"),
    ),
    _Page("/what-if", "what_if.html", what_if, (), json_of),
)


def create_app(
    site: Site, *, refresh_seconds: int = 5, hosts: Sequence[str] | None = None
) -> Starlette:
    """The application.

    Args:
        site: the tables and what goes with them.
        refresh_seconds: how often an open page looks for something new; 0 never.
        hosts: names under which it may be asked for, against rebinding of foreign names to it;
            None for any.
    """
    shop = _Shop(site, refresh_seconds)
    routes = [
        *(Route(page.path, shop.html(page)) for page in PAGES),
        *(Route(page.api_path, shop.json(page)) for page in PAGES),
        Route("/static/{name}", _static),
        Route("/healthz", shop.health),
    ]
    guards = [Middleware(SecurityHeaders), Middleware(GZipMiddleware, minimum_size=1000)]
    if hosts is not None:
        guards.insert(1, Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)))
    handlers: dict[Any, Any] = {404: shop.missing, Exception: shop.failed}
    return Starlette(routes=routes, middleware=guards, exception_handlers=handlers)


@dataclass(frozen=True, slots=True)
class _Shop:
    """The endpoints; synchronous, so that Starlette runs them on threads."""

    site: Site
    refresh_seconds: int

    def html(self, page: _Page) -> Callable[[Request], Response]:
        def endpoint(request: Request) -> Response:
            try:
                tag = self._tag(request)
                if request.headers.get("if-none-match") == tag:
                    return Response(status_code=304, headers=_headers(tag))
                return Response(
                    self._render(page, request), media_type="text/html", headers=_headers(tag)
                )
            except GroupNotFoundError as error:
                return self._error(404, "No such group", str(error))
            except TablesNotFoundError as error:
                return self._error(503, "Nothing to show yet", str(error))
            except TablesError as error:
                return self._error(503, "The tables cannot be read", str(error))

        return endpoint

    def json(self, page: _Page) -> Callable[[Request], Response]:
        def endpoint(request: Request) -> Response:
            try:
                tag = self._tag(request)
                if request.headers.get("if-none-match") == tag:
                    return Response(status_code=304, headers=_headers(tag))
                content = encode(page.as_json(page.view(self.site, request.query_params)))
            except GroupNotFoundError as error:
                return _json({"error": str(error)}, 404)
            except TablesError as error:
                return _json({"error": str(error)}, 503)
            return Response(content, media_type="application/json", headers=_headers(tag))

        return endpoint

    def health(self, _: Request) -> Response:
        """Whether the tables can be read, for a load balancer."""
        try:
            return _json({"status": "ok", "versions": self.site.versions()}, 200)
        except TablesError as error:
            return _json({"status": "unreadable", "error": str(error)}, 503)

    def missing(self, _: Request, __: Exception) -> Response:
        """No such page."""
        return self._error(404, "No such page", "There is nothing at this address.")

    def failed(self, request: Request, error: Exception) -> Response:
        """A defect: said without its inside, which goes to the log."""
        _LOG.error("the page %s failed", request.url.path, exc_info=error)
        return self._error(
            500, "This page failed", "A defect of the dashboard; its log has the details."
        )

    def _render(self, page: _Page, request: Request) -> str:
        query = request.query_params
        known = {name: query[name] for name in page.parameters if query.get(name)}
        return render(
            page.template,
            view=page.view(self.site, query),
            monitors=watched(self.site),
            address=Address(page.path, known),
            api_address=_with_query(page.api_path, request),
            here=page.path,
            sorts=SORTS,
            refresh_seconds=self.refresh_seconds,
        )

    def _error(self, status: int, heading: str, message: str) -> Response:
        page = render(
            "error.html",
            heading=heading,
            message=message,
            retry=status == 503 and self.refresh_seconds,  # noqa: PLR2004 - Service Unavailable
            here="",
            refresh_seconds=self.refresh_seconds,
        )
        return Response(page, status, media_type="text/html", headers={"Cache-Control": "no-store"})

    def _tag(self, request: Request) -> str:
        """Changes with the tables, with the minute, and with the release."""
        content = (str(request.url), asset_version(), self.site.basis(*self.site.versions()))
        return f'W/"{hashlib.sha256(repr(content).encode()).hexdigest()[:24]}"'


def _headers(tag: str) -> dict[str, str]:
    return {"ETag": tag, "Cache-Control": "private, no-cache"}


def _json(content: object, status: int) -> Response:
    return Response(encode(content), status, media_type="application/json")


def _with_query(path: str, request: Request) -> str:
    return f"{path}?{request.url.query}" if request.url.query else path


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in ASSETS:
        return Response("no such file", 404, media_type="text/plain")
    kept = "public, max-age=31536000, immutable" if "v" in request.query_params else "no-cache"
    return Response(
        asset(name),
        media_type=_TYPES[name.rsplit(".")[-1]],
        headers={"Cache-Control": kept},
    )
