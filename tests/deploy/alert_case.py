"""What fires each alert, and what comes close and does not."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Series = Mapping[str, str]
"""Values of a series at every minute, in the notation of promtool."""

JOB = 'job="ginref"'
ONE = f'{JOB},instance="a:7879"'


def refused(reason: str) -> str:
    """Name the series that counts a reason."""
    return f'ginref_refusals_total{{{ONE},reason="{reason}"}}'


def ended(ending: str) -> str:
    """Name the series that counts an ending."""
    return f'ginref_matches_ended_total{{{ONE},ending="{ending}"}}'


def fixtures(state: str) -> str:
    """Name the series that tells of fixtures in a state."""
    return f'ginref_fixtures{{{ONE},state="{state}"}}'


@dataclass(frozen=True)
class AlertCase:
    """One alert, seen to fire and seen not to.

    Attributes:
        alert: Its name.
        fires: Series of an hour in which it fires at the end.
        silent: Series of an hour in which it does not, by what is different.
        value: What its description says instead of the value.
        labels: Labels that it has besides its severity and the job.
    """

    alert: str
    fires: Series
    silent: Mapping[str, Series]
    value: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


INSTANCE = {"instance": "a:7879"}
CERTIFICATE = f"ginref_certificate_expiry_timestamp_seconds{{{ONE}}}"
CREATED = f"ginref_matches_created_total{{{ONE}}}"
SIGNED = f"ginref_records_signed_total{{{ONE}}}"
CPU = f"process_cpu_seconds_total{{{ONE}}}"
STARTED = f"process_start_time_seconds{{{ONE}}}"
MEMORY = f"process_resident_memory_bytes{{{ONE}}}"
OPEN, MOST = f"process_open_fds{{{ONE}}}", f"process_max_fds{{{ONE}}}"
UP = f"up{{{ONE}}}"
OTHER_UP = f'up{{{JOB},instance="b:7879"}}'
OUTAGES = f"ginref_outages_total{{{ONE}}}"
SWEPT = f"ginref_sweep_timestamp_seconds{{{ONE}}}"
OTHER_SWEPT = f'ginref_sweep_timestamp_seconds{{{JOB},instance="b:7879"}}'
WAITING = f"ginref_records_waiting_seconds{{{ONE}}}"


def build(
    store: str = "local/always", version: str = "1.0", instance: str = "a"
) -> str:
    """Name the series that tells what is running."""
    return (
        f'ginref_build_info{{{JOB},instance="{instance}:7879",'
        f'store="{store}",version="{version}"}}'
    )


def calls(method: str, *, slow: bool) -> Series:
    """Tell of calls that all take the same time."""
    labels = f'{ONE},method="ginref.v1.{method}",code="OK"'
    bucket = "ginref_call_seconds_bucket"
    return {
        f'{bucket}{{{labels},le="0.1"}}': "0x60" if slow else "0+60x60",
        f'{bucket}{{{labels},le="2.5"}}': "0+60x60",
        f'{bucket}{{{labels},le="+Inf"}}': "0+60x60",
    }


def times(histogram: str, *, slow: bool) -> Series:
    """Tell of observations that are all below 0.1 s, or all between that and 10 s."""
    bucket = f"ginref_{histogram}_seconds_bucket"
    return {
        f'{bucket}{{{ONE},le="0.1"}}': "0x60" if slow else "0+60x60",
        f'{bucket}{{{ONE},le="10"}}': "0+60x60",
        f'{bucket}{{{ONE},le="+Inf"}}': "0+60x60",
    }


def dropped(stream: str) -> str:
    """Name the series that counts dropped streams."""
    return f'ginref_streams_dropped_total{{{ONE},stream="{stream}"}}'


CASES = [
    AlertCase(
        "GinrefGone",
        {UP: "1x57 0x5", OTHER_UP: "1x57 0x5"},
        {"one is left": {UP: "1x57 0x5", OTHER_UP: "1x62"}},
    ),
    AlertCase(
        "GinrefDown",
        {UP: "1x56 0x5", OTHER_UP: "1x61"},
        {"only just": {UP: "1x59 0x5"}, "up": {UP: "1x61"}},
        labels=INSTANCE,
    ),
    AlertCase(
        "GinrefRestarts",
        {STARTED: "1x45 2x3 3x3 4x20"},
        {"twice": {STARTED: "1x45 2x3 3x30"}, "long ago": {STARTED: "1 2 3 4 5x60"}},
        value="3",
        labels=INSTANCE,
    ),
    AlertCase(
        "GinrefStoreUnavailable",
        {refused("STORE_UNAVAILABLE"): "0x50 60+60x20"},
        {
            "back": {refused("STORE_UNAVAILABLE"): "0x50 60 120 120x20"},
            "another reason": {refused("VERSION_STALE"): "0+60x60"},
        },
        value="1",
    ),
    AlertCase(
        "GinrefStoreForgets",
        {build("replicated/unknown"): "1x60"},
        {"durable": {build(): "1x60", build("replicated/everysec"): "1x60"}},
        labels={**INSTANCE, "store": "replicated/unknown", "version": "1.0"},
    ),
    AlertCase(
        "GinrefOutage",
        {OUTAGES: "0x50 1x20"},
        {"long over": {OUTAGES: "0x10 1x60"}, "none": {OUTAGES: "0x60"}},
    ),
    AlertCase(
        "GinrefNobodySweeps",
        {SWEPT: "0+60x55 3300x9"},
        {
            "the other one sweeps": {SWEPT: "0x60", OTHER_SWEPT: "0+60x60"},
            "only just": {SWEPT: "0+60x58 3480x9"},
        },
        value="5m 0s",
    ),
    AlertCase(
        "GinrefDeadlinesLate",
        times("timeout_delay", slow=True),
        {
            "in time": times("timeout_delay", slow=False),
            "nobody is late": dict.fromkeys(times("timeout_delay", slow=True), "7x60"),
        },
        value="9.901s",
    ),
    AlertCase(
        "GinrefRecordsWait",
        {WAITING: "0x40 0+60x30"},
        {"one after another": {WAITING: "0 60 120 180 240 0 60 120 180 240x60"}},
        value="19m 0s",
    ),
    AlertCase(
        "GinrefNobodySigns",
        {ended("completed"): "0x20 0+4x60", SIGNED: "7x60"},
        {
            "signed": {ended("completed"): "0+4x60", SIGNED: "0+3x60"},
            "nothing to sign": {ended("completed"): "9x60", SIGNED: "9x60"},
        },
        value="60",
    ),
    AlertCase(
        "GinrefFaults",
        {refused("INTERNAL_FAULT"): "0x55 1x20"},
        {
            "others' faults": {refused("FIELD_INVALID"): "0+9x60"},
            "long ago": {refused("INTERNAL_FAULT"): "0x10 3x60"},
        },
    ),
    AlertCase(
        "GinrefMatchesVoid",
        {ended("void"): "0x30 1x60"},
        {"played": {ended("completed"): "0+9x60", ended("void"): "2x60"}},
    ),
    AlertCase(
        "GinrefSlow",
        calls("RefereeService/SubmitMove", slow=True),
        {
            "fast": calls("RefereeService/SubmitMove", slow=False),
            "streams": {
                **calls("BotService/Connect", slow=True),
                **calls("RefereeService/WatchMatch", slow=True),
            },
        },
        value="2.476s",
    ),
    AlertCase(
        "GinrefMovesWait",
        times("move_referee", slow=True),
        {"fast": times("move_referee", slow=False)},
        value="9.901s",
    ),
    AlertCase(
        "GinrefStoreSlow",
        times("store_call", slow=True),
        {"fast": times("store_call", slow=False)},
        value="9.901s",
    ),
    AlertCase(
        "GinrefBusy",
        {CPU: "0+57x60"},
        {"half": {CPU: "0+30x60"}},
        value="95%",
        labels=INSTANCE,
    ),
    AlertCase(
        "GinrefMemory",
        {MEMORY: f"{2**30}x60"},
        {"usual": {MEMORY: f"{2**29}x60"}},
        value="1Gi",
        labels=INSTANCE,
    ),
    AlertCase(
        "GinrefFiles",
        {OPEN: "900x60", MOST: "1000x60"},
        {"enough": {OPEN: "700x60", MOST: "1000x60"}},
        value="90%",
        labels=INSTANCE,
    ),
    AlertCase(
        "GinrefLimits",
        {refused("LIMIT_EXCEEDED"): "0+60x60"},
        {"once": {refused("LIMIT_EXCEEDED"): "0x54 5x20"}},
        value="1",
    ),
    AlertCase(
        "GinrefStrangers",
        {
            refused("TOKEN_UNKNOWN"): "0+60x60",
            refused("TOKEN_EXPIRED"): "0+60x60",
            refused("TOKEN_REVOKED"): "0+60x60",
        },
        {
            "a bot that was not told": {refused("TOKEN_REVOKED"): "0+30x60"},
            "no token": {refused("TOKEN_MISSING"): "0+600x60"},
        },
        value="3",
    ),
    AlertCase(
        "GinrefCertificateEnds",
        {CERTIFICATE: f"{14 * 86400}x60"},
        {
            "another month": {CERTIFICATE: f"{30 * 86400}x60"},
            "no certificate": {CERTIFICATE: "0x60"},
        },
        value="13d 23h 0m 0s",
        labels=INSTANCE,
    ),
    AlertCase(
        "GinrefStreamsDropped",
        {dropped("watcher"): "0+2x60", dropped("bot"): "0x60"},
        {
            "a few": {dropped("watcher"): "0+1x60", dropped("bot"): "0+1x60"},
            "long ago": {dropped("bot"): "0+9x20 180x40"},
        },
        value="30",
        labels={"stream": "watcher"},
    ),
    AlertCase(
        "GinrefUnplayed",
        {
            ended("completed"): "0+1x61",
            ended("no_show"): "0+1x61",
            ended("timed_out"): "0x61",
        },
        {
            "few": {ended("completed"): "0+9x61", ended("timed_out"): "0+1x61"},
            "of few": {ended("completed"): "0x20 1x50", ended("no_show"): "0x20 9x50"},
        },
        value="50%",
    ),
    AlertCase(
        "GinrefFixturesStopped",
        {fixtures("stopped"): "2x60"},
        {"played": {fixtures("playing"): "9x60", fixtures("stopped"): "0x60"}},
        value="2",
    ),
    AlertCase(
        "GinrefFixturesWait",
        {fixtures("ready"): "3x60", CREATED: "8x60"},
        {
            "started": {fixtures("ready"): "3x60", CREATED: "0+1x60"},
            "blocked": {
                fixtures("blocked"): "3x60",
                fixtures("ready"): "0x60",
                CREATED: "8x60",
            },
        },
        value="3",
    ),
    AlertCase(
        "GinrefVersionsDiffer",
        {build(): "1x65", build(version="1.1", instance="b"): "1x65"},
        {
            "a release": {
                build(): "1x65",
                build(version="1.1", instance="b"): "_x30 1x40",
            },
            "one version": {build(): "1x65", build(instance="b"): "1x65"},
        },
        value="2",
    ),
]
