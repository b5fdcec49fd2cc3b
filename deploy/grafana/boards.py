"""The dashboards as Grafana reads them: python -m deploy.grafana.boards.

They are written into the folder `dashboards` beside this file, where Grafana and the
chart find them.
"""

import json
from pathlib import Path
from string import ascii_uppercase
from typing import Final

from deploy.grafana.capacity import CAPACITY
from deploy.grafana.matches import MATCHES
from deploy.grafana.panel import TRACED, Board, Panel
from deploy.grafana.referee import REFEREE
from deploy.grafana.tournaments import TOURNAMENTS
from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat
from grafana_foundation_sdk.builders import timeseries as graph
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import (
    LegendDisplayMode,
    LegendPlacement,
    StackingMode,
    TooltipDisplayMode,
)
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DataSourceRef,
    VariableHide,
    VariableRefresh,
)

FOLDER: Final = Path(__file__).parent / "dashboards"

_SOURCE: Final = DataSourceRef(type_val="prometheus", uid="${source}")

_GRAPH_WIDTH, _GRAPH_HEIGHT = 8, 8
_NUMBER_WIDTH, _NUMBER_HEIGHT = 4, 4

BOARDS: Final = (REFEREE, MATCHES, TOURNAMENTS, CAPACITY)


def written(board: Board) -> str:
    """Return a dashboard as Grafana reads it."""
    whole = (
        dashboard.Dashboard(board.title)
        .uid(f"ginref-{board.name}")
        .description(board.tells)
        .tags(["ginref"])
        .readonly()
        .time("now-1h", "now")
        .refresh("30s")
        .timezone("browser")
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .with_variable(
            dashboard.DatasourceVariable("source").label("Source").type("prometheus")
        )
        .with_variable(
            dashboard.QueryVariable("instance")
            .label("Process")
            .datasource(_SOURCE)
            .query('label_values(ginref_build_info{job="ginref"}, instance)')
            .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
            .hide(VariableHide.DONT_HIDE)
            .include_all(include_all=True)
            .all_value(".+")
            .multi(multi=True)
        )
    )
    known = 0
    for title, panels in board.rows:
        whole.with_row(dashboard.Row(title).id(known := known + 1))
        for panel in panels:
            built = _number(panel) if panel.is_number else _graph(panel)
            whole.with_panel(built.id(known := known + 1))
    return json.dumps(whole.build(), cls=JSONEncoder, indent=2, sort_keys=True) + "\n"


def _number(panel: Panel) -> stat.Panel:
    built = (
        stat.Panel()
        .title(panel.title)
        .description(panel.tells)
        .datasource(_SOURCE)
        .unit(panel.unit)
        .span(_NUMBER_WIDTH)
        .height(_NUMBER_HEIGHT)
    )
    for target in _targets(panel):
        built.with_target(target.instant())
    return built


def _graph(panel: Panel) -> graph.Panel:
    built = (
        graph.Panel()
        .title(panel.title)
        .description(panel.tells)
        .datasource(_SOURCE)
        .unit(panel.unit)
        .min(0)
        .fill_opacity(30 if panel.is_stacked else 5)
        .span(_GRAPH_WIDTH)
        .height(_GRAPH_HEIGHT)
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI))
        .legend(
            common.VizLegendOptions()
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
            .show_legend(show_legend=True)
        )
    )
    if panel.is_stacked:
        built.stacking(common.StackingConfig().mode(StackingMode.NORMAL))
    for target in _targets(panel):
        built.with_target(target.range())
    return built


def _targets(panel: Panel) -> list[prometheus.Dataquery]:
    return [
        prometheus.Dataquery()
        .ref_id(letter)
        .expr(query)
        .exemplar(any(f"{one}_bucket" in query for one in TRACED))
        .legend_format(legend or "__auto")
        for letter, (query, legend) in zip(ascii_uppercase, panel.queries, strict=False)
    ]


def main() -> None:
    """Write all dashboards into the folder beside."""
    FOLDER.mkdir(exist_ok=True)
    for board in BOARDS:
        (FOLDER / f"{board.name}.json").write_text(written(board), encoding="utf-8")


if __name__ == "__main__":
    main()
