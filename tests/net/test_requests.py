"""What a URL, a header and an address may be; what a policy allows."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.net.addresses import is_public
from covel_host.net.errors import HttpFailed
from covel_host.net.headers import checked_headers
from covel_host.net.policy import BothPolicies, HttpPolicy, is_loopback_name
from covel_host.net.urls import Origin, read_origin, read_url

API = Origin("https", "api.example.org", 443)


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://api.example.org/x", API),
        ("HTTPS://API.Example.Org:443", API),
        ("https://api.example.org.", API),
        ("https://bücher.example:8443", Origin("https", "xn--bcher-kva.example", 8443)),
        ("https://[::1]:1/", Origin("https", "::1", 1)),
    ],
)
def test_one_origin_has_one_form(text: str, origin: Origin) -> None:
    assert read_origin(text) == origin
    assert read_origin(str(origin)) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/path",
        "ftp://example.org",
        "file:///etc/passwd",
        "https://",
        "https://user:secret@example.org",
        "https://example.org@evil.example",
        "https://example.org\\@evil.example",
        "https://exa\nmple.org",
        "https://example.org/a b",
        "https://example.org:99999",
        "https://example.org:x",
        "https://[fe80::1%25eth0]/",
        "https://" + "a" * 9_000,
    ],
)
def test_a_url_that_can_be_read_two_ways_is_refused(text: str) -> None:
    with pytest.raises(HttpFailed) as caught:
        read_url(text)
    assert caught.value.code == "invalid-input"
    assert "secret" not in caught.value.message


def test_a_fragment_is_not_sent() -> None:
    assert read_url("https://example.org/a?b=1#c").target == "/a?b=1"


@given(st.text(max_size=60))
def test_whatever_is_read_is_sent_in_plain_ascii_without_spaces(text: str) -> None:
    try:
        address = read_url(f"https://example.org/{text}")
    except HttpFailed:
        return
    assert address.origin.host == "example.org"
    assert all(0x20 < ord(character) < 0x7F for character in address.text)


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "1\r\nHost: evil.example"},
        {"X-A\r\nY": "1"},
        {"X-A": "\0"},
        {"": "1"},
        {"Host": "evil.example"},
        {"Content-Length": "5"},
        {"Transfer-Encoding": "chunked"},
        {"Proxy-Authorization": "x"},
        {"A": "1", "a": "2"},
        {f"X-{number}": "1" for number in range(65)},
        {"X-A": "x" * 20_000},
    ],
)
def test_a_header_that_is_the_hosts_or_could_end_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(HttpFailed):
        checked_headers(headers)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.1.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1:7f00:1::808:808",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
        "fc00::1",
        "fe80::1",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "ff02::1",
    ],
)
def test_no_private_address_is_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:220:1::1", "::ffff:8.8.8.8"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def test_a_bundled_package_reaches_public_https_and_what_it_declares() -> None:
    local = Origin("https", "127.0.0.1", 8188)
    policy = HttpPolicy("The package 'demo'", {local: None}, is_open=True)
    assert policy.problem(API, "POST") is None
    assert policy.problem(Origin("http", "example.org", 80), "GET") is not None
    assert not policy.may_be_loopback(API)
    assert policy.may_be_loopback(local)


def test_a_service_reaches_what_both_may() -> None:
    own = HttpPolicy("own", {API: frozenset({"GET"})})
    everywhere = HttpPolicy("open", {}, is_open=True)
    nothing = HttpPolicy("nothing", {})
    assert BothPolicies((own, everywhere)).problem(API, "GET") is None
    assert BothPolicies((own, everywhere)).problem(API, "POST") is not None
    assert BothPolicies((own, nothing)).problem(API, "GET") is not None


def test_only_names_that_nobody_can_point_elsewhere_are_this_machine() -> None:
    assert all(map(is_loopback_name, ("localhost", "127.0.0.1", "127.8.8.8", "::1")))
    assert not any(map(is_loopback_name, ("localhost.example", "2130706433", "api.example")))
