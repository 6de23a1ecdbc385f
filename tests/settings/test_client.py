"""Java's client properties: read, and said to librdkafka and Spark."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.errors import ConfigurationError
from streaming.settings.client import ClientProperties
from streaming.settings.client.jaas import JaasError, parse_jaas
from streaming.settings.client.java_format import parse_properties
from streaming.settings.cluster import ClusterSettings

SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
JAVA_PROGRAM = r"""
import java.io.*; import java.nio.charset.StandardCharsets; import java.util.*;
public class Read { public static void main(String[] files) throws Exception {
  for (String file : files) { Properties read = new Properties();
    read.load(new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8));
    for (String name : new TreeSet<>(read.stringPropertyNames()))
      System.out.print(hex(name) + "=" + hex(read.getProperty(name)) + ";");
    System.out.println(); } }
  static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8)); } }
"""
AWKWARD = [
    "a=1\nb = 2\nc : 3\nd 4\ne\n",
    "# no\n! no\n  # nor this\nkey=value # part of it\n",
    "long = one, \\\n    two, \\\n  three\nnext=4",
    r"sp\ ace\=d=x\ty\nz\\" + "\n" + r"u=\u00e9\u4e2d" + "\n",
    "a==b\nc=:d\ne :f\n=novalue\n:\n",
    "crlf=1\r\ncr=2\rlast=3\\",
    "even=1\\\\\nodd=2\\\\\\\n  joined\n",
    "a=1\\\n# not a comment\n",
    "dup=1\ndup=2\n\n\n   \nx=  kept end  \n",
    "tab\tseparated\nff\fseparated\nutf=é中\n",
]


def test_properties_are_read_as_java_reads_them(tmp_path: Path) -> None:
    java = shutil.which("java")
    assert java
    files = [tmp_path / f"{number}.properties" for number in range(len(AWKWARD))]
    for path, text in zip(files, AWKWARD, strict=True):
        path.write_bytes(text.encode())
    (tmp_path / "Read.java").write_text(JAVA_PROGRAM)
    answer = subprocess.run(
        [java, tmp_path / "Read.java", *files], check=True, capture_output=True, text=True
    )
    for line, text in zip(answer.stdout.splitlines(), AWKWARD, strict=True):
        pairs = (pair.split("=") for pair in line.split(";") if pair)
        by_java = {bytes.fromhex(k).decode(): bytes.fromhex(v).decode() for k, v in pairs}
        assert parse_properties(text) == by_java, text


def test_a_login_module_is_read() -> None:
    module = parse_jaas(f'{SCRAM} required\n username="me" password="a;b\\"c\'=d" tokenauth=true ;')
    assert module.kind == "ScramLoginModule"
    assert module.options == {"username": "me", "password": "a;b\"c'=d", "tokenauth": "true"}


@given(st.text(min_size=1).filter(lambda text: "\x00" not in text))
@settings(derandomize=True)
def test_any_password_can_be_quoted(password: str) -> None:
    quoted = password.replace("\\", "\\\\").replace('"', '\\"')
    module = parse_jaas(f'a.PlainLoginModule required username="u" password="{quoted}";')
    assert module.options["password"] == password


@pytest.mark.parametrize(
    "text", ["", "Module", "Module required", 'M required a="b', "M maybe a=b;"]
)
def test_what_is_no_login_module_is_refused(text: str) -> None:
    with pytest.raises(JaasError):
        parse_jaas(text)


def librdkafka(**names: str) -> dict[str, str]:
    values = {name.replace("__", "."): value for name, value in names.items()}
    return ClientProperties(values).for_librdkafka()


def test_scram_over_tls_is_translated() -> None:
    assert librdkafka(
        security__protocol="SASL_SSL",
        sasl__mechanism="SCRAM-SHA-512",
        sasl__jaas__config=f'{SCRAM} required username="me" password="pw";',
        ssl__truststore__type="PEM",
        ssl__truststore__location="/ca.pem",
        ssl__endpoint__identification__algorithm="",
    ) == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanisms": "SCRAM-SHA-512",
        "sasl.username": "me",
        "sasl.password": "pw",
        "ssl.ca.location": "/ca.pem",
        "ssl.endpoint.identification.algorithm": "none",
    }


def test_moved_login_modules_are_understood() -> None:
    words = librdkafka(
        sasl__jaas__config=f'kafkashaded.{SCRAM} required username="me" password="pw";'
    )
    assert words["sasl.username"] == "me"


def test_keys_are_translated() -> None:
    pem = librdkafka(ssl__keystore__type="PEM", ssl__keystore__location="/k.pem")
    assert pem == {"ssl.key.location": "/k.pem", "ssl.certificate.location": "/k.pem"}
    key_store = {"ssl.keystore.location": "/k.p12", "ssl.keystore.password": "x"}
    pkcs12 = ClientProperties({"ssl.keystore.type": "PKCS12", **key_store})
    assert pkcs12.for_librdkafka() == key_store


def test_kerberos_and_tokens_are_translated() -> None:
    kerberos = 'com.sun.security.auth.module.Krb5LoginModule required principal="p@R" keyTab="/t";'
    assert librdkafka(sasl__jaas__config=kerberos) == {
        "sasl.kerberos.principal": "p@R",
        "sasl.kerberos.keytab": "/t",
    }
    oidc = 'x.OAuthBearerLoginModule required clientId="i" clientSecret="s" scope="all";'
    assert librdkafka(sasl__jaas__config=oidc) == {
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.client.id": "i",
        "sasl.oauthbearer.client.secret": "s",
        "sasl.oauthbearer.scope": "all",
    }


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"ssl.truststore.location": "/t.jks"}, "ssl.truststore.type=PEM"),
        ({"ssl.keystore.location": "/k.jks"}, "ssl.keystore.type=PKCS12"),
        ({"sasl.mechanism": "AWS_MSK_IAM"}, "SCRAM-SHA-512"),
        ({"sasl.jaas.config": "x.LdapLoginModule required;"}, "LdapLoginModule exists for Java's"),
        ({"sasl.jaas.config": 'x.PlainLoginModule required username="u";'}, "lacks password"),
    ],
)
def test_what_librdkafka_cannot_do_is_refused_with_advice(
    values: dict[str, str], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says) as caught:
        ClientProperties(values).for_librdkafka()
    assert caught.value.key == f"cluster.properties.{next(iter(values))}"


def test_spark_gets_java_names_and_nothing_it_sets_itself() -> None:
    options = ClientProperties(
        {
            "bootstrap.servers": "a:1",
            "sasl.jaas.config": "as it is",
            "ssl.ca.location": "/librdkafka.pem",
            "group.id": "x",
        }
    ).for_spark()
    assert options == {"kafka.bootstrap.servers": "a:1", "kafka.sasl.jaas.config": "as it is"}


def test_settings_go_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "client.properties"
    path.write_text("client.id=file\nsecurity.protocol=SSL\nbootstrap.servers=file:1\n")
    cluster = ClusterSettings.model_validate(
        {"command_config": path, "properties": {"client.id": "ours"}, "bootstrap_servers": "b:2"}
    )
    assert ClientProperties.of(cluster).values == {
        "client.id": "ours",
        "security.protocol": "SSL",
        "bootstrap.servers": "b:2",
    }


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = ClusterSettings(command_config=tmp_path / "none")
    with pytest.raises(ConfigurationError, match="No such file") as caught:
        ClientProperties.of(missing)
    assert caught.value.key == "cluster.command_config"
