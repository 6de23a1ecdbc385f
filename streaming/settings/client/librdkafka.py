"""Say Java's client properties in librdkafka's words."""

from collections.abc import Callable, Iterator, Mapping

from streaming.settings.client.jaas import JaasError, LoginModule, parse_jaas

Words = dict[str, str]


class UntranslatableError(ValueError):
    """librdkafka cannot do what a property asks for.

    Attributes:
        name: The property's name.
        advice: What to write instead.
    """

    def __init__(self, name: str, advice: str) -> None:
        super().__init__(f"{name}: {advice}")
        self.name = name
        self.advice = advice


SAME = frozenset(
    {
        "bootstrap.servers",
        "client.id",
        "client.rack",
        "client.dns.lookup",
        "connections.max.idle.ms",
        "metadata.max.age.ms",
        "reconnect.backoff.ms",
        "reconnect.backoff.max.ms",
        "retry.backoff.ms",
        "security.protocol",
        "sasl.kerberos.service.name",
        "sasl.kerberos.kinit.cmd",
        "sasl.oauthbearer.token.endpoint.url",
        "ssl.cipher.suites",
        "ssl.key.password",
        "ssl.endpoint.identification.algorithm",
    }
)
"""Names that mean the same to both."""

RENAMED = {
    "sasl.mechanism": "sasl.mechanisms",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "socket.connection.setup.timeout.ms": "socket.connection.setup.timeout.ms",
    "request.timeout.ms": "socket.timeout.ms",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
}

ONLY_LIBRDKAFKA = frozenset(
    {
        "broker.address.family",
        "debug",
        "enable.ssl.certificate.verification",
        "sasl.mechanisms",
        "sasl.username",
        "sasl.password",
        "ssl.ca.location",
        "ssl.ca.pem",
        "ssl.certificate.location",
        "ssl.certificate.pem",
        "ssl.key.location",
        "ssl.key.pem",
    }
)
"""Names that Java's client does not know; they are not passed to it."""

_PEM_ADVICE = (
    "librdkafka reads certificates as PEM, not from a Java key store; export them "
    "(keytool -exportcert -rfc) and set ssl.truststore.type=PEM, which Java's client reads too"
)


def translate(properties: Mapping[str, str]) -> Words:
    """Return the configuration for librdkafka.

    Properties that concern only Java's client (its class names, its protocols) are left out.

    Raises:
        UntranslatableError: librdkafka has no way to do what is asked for.
    """
    words = {name: properties[name] for name in properties if name in SAME | ONLY_LIBRDKAFKA}
    words |= {RENAMED[name]: value for name, value in properties.items() if name in RENAMED}
    words |= _trust(properties) | _key(properties) | _login(properties)
    if words.get("ssl.endpoint.identification.algorithm") == "":
        words["ssl.endpoint.identification.algorithm"] = "none"
    return words


def _trust(properties: Mapping[str, str]) -> Words:
    location = properties.get("ssl.truststore.location")
    if location is None:
        return {}
    if properties.get("ssl.truststore.type", "JKS").upper() != "PEM":
        raise UntranslatableError("ssl.truststore.location", _PEM_ADVICE)
    return {"ssl.ca.location": location}


def _key(properties: Mapping[str, str]) -> Words:
    location = properties.get("ssl.keystore.location")
    if location is None:
        return {}
    kind = properties.get("ssl.keystore.type", "JKS").upper()
    if kind == "PEM":  # one file with the key and its certificates
        return {"ssl.key.location": location, "ssl.certificate.location": location}
    if kind == "PKCS12":
        return {
            "ssl.keystore.location": location,
            "ssl.keystore.password": properties.get("ssl.keystore.password", ""),
        }
    raise UntranslatableError(
        "ssl.keystore.location",
        "librdkafka reads keys from PKCS12 or PEM; convert it (keytool -importkeystore "
        "-deststoretype PKCS12) and set ssl.keystore.type=PKCS12",
    )


def _login(properties: Mapping[str, str]) -> Words:
    mechanism = properties.get("sasl.mechanism", "")
    if mechanism == "AWS_MSK_IAM":
        raise UntranslatableError(
            "sasl.mechanism",
            "AWS_MSK_IAM exists for Java's client only; use SCRAM-SHA-512 or OAUTHBEARER",
        )
    text = properties.get("sasl.jaas.config")
    if text is None:
        return {}
    try:
        module = parse_jaas(text)
    except JaasError as error:
        raise UntranslatableError("sasl.jaas.config", str(error)) from None
    return _LOGINS.get(module.kind, _unknown_module)(module)


def _user_and_password(module: LoginModule) -> Words:
    return dict(
        _taken(module, {"username": "sasl.username", "password": "sasl.password"}, needed=True)
    )


def _kerberos(module: LoginModule) -> Words:
    names = {
        "principal": "sasl.kerberos.principal",
        "keyTab": "sasl.kerberos.keytab",
        "serviceName": "sasl.kerberos.service.name",
    }
    return dict(_taken(module, names, needed=False))


def _token(module: LoginModule) -> Words:
    names = {
        "clientId": "sasl.oauthbearer.client.id",
        "clientSecret": "sasl.oauthbearer.client.secret",
        "scope": "sasl.oauthbearer.scope",
    }
    return {"sasl.oauthbearer.method": "oidc", **dict(_taken(module, names, needed=False))}


def _unknown_module(module: LoginModule) -> Words:
    raise UntranslatableError(
        "sasl.jaas.config",
        f"the login module {module.kind} exists for Java's client only; use one of "
        f"{', '.join(_LOGINS)}",
    )


_LOGINS: dict[str, Callable[[LoginModule], Words]] = {
    "PlainLoginModule": _user_and_password,
    "ScramLoginModule": _user_and_password,
    "Krb5LoginModule": _kerberos,
    "OAuthBearerLoginModule": _token,
}


def _taken(
    module: LoginModule, names: Mapping[str, str], *, needed: bool
) -> Iterator[tuple[str, str]]:
    for name, word in names.items():
        if name in module.options:
            yield word, module.options[name]
        elif needed:
            raise UntranslatableError("sasl.jaas.config", f"{module.kind} lacks {name}")
