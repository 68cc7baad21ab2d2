"""The page of a run: what is on it, and what a real browser makes of it."""

import json
import re
import shutil
import signal
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise

import matplotlib.image
import numpy as np
import pytest

from sing.report import boards, charts, strip
from sing.report.charts import Series, histogram, line_chart, share_bar
from sing.report.record import Trace, histogram_of
from sing.translate import generators

FIGURES = {"phases", "expansions", "goals", "labels", "loss", "estimates", "strip"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def command(*options):
    return [sys.executable, "-m", "sing", "solve", "domain.pddl", "problem.pddl", *options]


def solve(folder, *options):
    return subprocess.run(command(*options), cwd=folder, capture_output=True, text=True, check=False)


def write_puzzle(folder, rows, seed):
    family = generators.npuzzle(rows, rows, seed=seed)
    (folder / "domain.pddl").write_text(family.domain)
    (folder / "problem.pddl").write_text(family.problems[0])


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """A run that learned and found a plan, with its page and its JSON."""
    folder = tmp_path_factory.mktemp("solved")
    write_puzzle(folder, 3, 2)
    done = solve(folder, "--config", "sing", "--nsearches", "50", "--report", "page.html", "--json", "result.json")
    assert done.returncode == 0 and "report written to page.html" in done.stdout
    return folder, (folder / "page.html").read_text(), json.loads((folder / "result.json").read_text())


class Balance(HTMLParser):
    """Raises where tags do not match."""

    VOID = ("meta", "br", "img")

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        """Such as <line/>: nothing stays open."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(solved):
    _, page, _ = solved
    balance = Balance()
    balance.feed(page)
    assert not balance.open
    assert not re.search(r"https?:|src=|href=|url\(|@import|<script", page)
    assert len(page) < 2_000_000


def test_the_page_tells_what_the_json_and_the_plan_file_tell(solved):
    folder, page, result = solved
    plan = [line.strip("()\n") for line in (folder / "sas_plan").read_text().splitlines() if not line.startswith(";")]
    assert re.findall(r"<li>(.*?)</li>", page) == plan
    assert f"The plan: {result['plan_length']} operators, cost {result['plan_cost']}" in page
    numbers = dict(re.findall(r"<tr><td>(\w+)</td><td>(.*?)</td></tr>", page))
    assert numbers["expanded"] == str(result["expanded"]) and numbers["num_samples"] == str(result["num_samples"])
    for phase in ("translate", "sample", "train", "search"):
        assert f"{phase} {result['times_s'][phase]:.2f} s" in page
    # One estimate for each state of the plan, the first and the last among them.
    figure = re.search(r'<section id="estimates">.*?</section>', page, re.DOTALL)[0]
    points = [tuple(map(float, pair)) for pair in re.findall(r"estimate h: (\S+), (\S+?)<", figure)]
    assert [step for step, _ in points] == list(range(len(plan) + 1))
    assert points[0][1] == result["initial_estimate"]
    labels = re.search(r'<section id="labels">.*?</section>', page, re.DOTALL)[0]
    assert sum(float(n) for n in re.findall(r": (\d+)</title>", labels)) == result["num_samples"]
    loss = re.search(r'<section id="loss">.*?</section>', page, re.DOTALL)[0]
    assert len(re.findall(r"<title>validation: ", loss)) == result["num_epochs"]


@pytest.mark.parametrize("options", [(), ("--jobs", "2"), ("--heuristic", "ff"), ("--anytime",)])
def test_every_kind_of_run_has_a_page(tmp_path, options):
    write_puzzle(tmp_path, 3, 2)
    done = solve(tmp_path, *options, "--report", "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert {"phases", "timeline", "expansions", "plan", "estimates"} <= set(re.findall(r'<section id="(\w+)"', page))


def test_a_run_without_a_plan_has_a_page(tmp_path):
    write_puzzle(tmp_path, 6, 1)
    options = ("--config", "sing", "--nsearches", "20", "--report", "page.html")
    with subprocess.Popen(command(*options), cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert any(line.startswith("train") for line in process.stdout)  # from here on it would search for good
        process.send_signal(signal.SIGINT)
        assert "report written to page.html" in process.stdout.read()
    assert process.returncode == 130
    page = (tmp_path / "page.html").read_text()
    assert "interrupted before a plan was found" in page and 'id="plan"' not in page and 'id="labels"' in page


def test_names_are_escaped(tmp_path):
    write_puzzle(tmp_path, 2, 1)
    (tmp_path / "problem.pddl").rename(tmp_path / "<b>&.pddl")
    command = [sys.executable, "-m", "sing", "solve", "domain.pddl", "<b>&.pddl", "--report", "page.html"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    page = (tmp_path / "page.html").read_text()
    assert "&lt;b&gt;&amp;.pddl" in page and "<b>" not in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--report", "-"), "--report needs the name of a file"),
        (("--report", "sas_plan"), "--plan-file and --report are both 'sas_plan'"),
        (("--report", "x", "--json", "x"), "--json and --report are both 'x'"),
        (("--report", "./x", "--json", "x"), "--json and --report are both"),
        (("--report", "nowhere/page.html"), "cannot write the report"),
        (("problem.pddl", "--report", "page.html"), "--report is about one problem"),
    ],
)
def test_mistakes_have_a_clear_message(tmp_path, options, message):
    write_puzzle(tmp_path, 2, 1)
    done = solve(tmp_path, *options)
    assert done.returncode == 36 and message in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["domain.pddl", "problem.pddl"]


def in_browser(*arguments):
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_a_browser_draws_the_figures(solved, tmp_path):
    """Asks the browser how large it drew what, and looks for the colours on its picture of the page."""
    _, page, _ = solved
    measure = """<script>
      const sizes = [...document.querySelectorAll("section svg.chart")].map(svg => [svg.closest("section").id,
        [...svg.querySelectorAll("rect, polyline")].map(shape => shape.getBoundingClientRect())
          .filter(box => box.width + box.height > 20).length,
        svg.getBoundingClientRect().width, svg.getBoundingClientRect().height]);
      document.documentElement.setAttribute("data-sizes", JSON.stringify(sizes));
    </script>"""
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", f"{measure}</body>"))
    dom = in_browser("--dump-dom", path.as_uri())
    told = json.loads(re.search(r'data-sizes="(.*?)"', dom)[1].replace("&quot;", '"'))
    assert {name for name, *_ in told} == FIGURES
    for name, num_shapes, width, height in told:
        assert num_shapes >= 1 and width > 200 and height > 50, name
    in_browser(f"--screenshot={tmp_path / 'page.png'}", "--window-size=1000,2400", path.as_uri())
    picture = matplotlib.image.imread(tmp_path / "page.png")[:, :, :3]
    for color in charts.COLORS[:2]:
        wanted = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        assert (np.abs(picture - wanted).max(axis=2) < 0.02).sum() > 500


def coordinates(svg, shape, *names):
    return [
        [float(re.search(rf'{n}="([-\d.]+)"', tag)[1]) for n in names] for tag in re.findall(rf"<{shape} .*?>", svg)
    ]


def test_higher_values_are_drawn_higher():
    svg = line_chart([Series("a", [(1, 0), (2, 5), (3, 10)])], "x", "y")
    (x0, y0), (x1, y1), (x2, y2) = coordinates(svg, "circle", "cx", "cy")
    assert x0 < x1 < x2 and y0 > y1 > y2
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.2) and x1 - x0 == pytest.approx(x2 - x1, abs=0.2)


def test_steps_hold_their_value():
    svg = line_chart([Series("a", [(0, 1), (10, 3)], is_stepped=True)], "x", "y")
    points = [pair.split(",") for pair in re.search(r'points="(.*?)"', svg)[1].split()]
    assert points[0][1] == points[1][1] != points[2][1] and points[1][0] == points[2][0]


@pytest.mark.parametrize("points", [[], [(0, 0)], [(5, 5)], [(1, -3), (2, 4)], [(0.001, 1), (1000, 2)]])
@pytest.mark.parametrize("x_log", [False, True])
def test_any_points_can_be_drawn(points, x_log):
    svg = line_chart([Series("a", points), Series("b", [])], "x", "y", x_log=x_log)
    assert "nan" not in svg and "inf" not in svg


def test_shares_fill_the_bar():
    widths = [
        width
        for width, height in coordinates(share_bar([("a", 1), ("b", 3)], "s"), "rect", "width", "height")
        if height > 20
    ]
    assert widths[1] == pytest.approx(3 * widths[0], rel=0.01)
    assert "nan" not in share_bar([("a", 0)], "s")


def test_histograms_count_everything():
    values = np.random.default_rng(1).integers(0, 500, 1000).astype(np.float32)
    bars = histogram_of(values)
    assert len(bars) <= 61 and sum(count for _, _, count in bars) == 1000
    assert all(left[1] == right[0] for left, right in pairwise(bars))
    assert histogram(bars, "x", "y").count("<rect") == len(bars)
    assert histogram_of(np.array([])) == []


class Statistics:
    def __init__(self, time_s, num_expanded):
        self.time_s, self.num_expanded, self.fewest_open_goals = time_s, num_expanded, 1


def test_a_trace_adds_up_searches_and_stays_short():
    trace = Trace()
    for moment in range(5000):
        trace.add(moment, Statistics(moment % 2500, moment % 2500))
    counts = [moment.num_expanded for moment in trace.moments]
    assert len(counts) <= 1002 and counts == sorted(counts)
    assert trace.moments[-1].time_s == 4999 and counts[-1] == 2499 + 2499


def test_a_trace_is_flat_between_searches():
    trace = Trace()
    trace.add(1.0, Statistics(1.0, 50))
    trace.add(9.0, Statistics(0.5, 9000))  # another search, which began at 8.5
    assert [(moment.time_s, moment.num_expanded) for moment in trace.moments] == [
        (0.0, 0), (1.0, 50), (8.5, 50), (9.0, 9050),
    ]  # fmt: skip


# --- pictures of plans ---


def section(page, name):
    return re.search(rf'<section id="{name}">.*?</section>', page, re.DOTALL)[0]


def test_every_step_of_the_plan_is_marked_for_its_objects(solved):
    folder, page, _ = solved
    steps = [line.strip("()\n") for line in (folder / "sas_plan").read_text().splitlines() if line.startswith("(")]
    marks = re.findall(r"<title>(\d+): (.*?)</title>", section(page, "strip"))
    assert marks == [(str(number), name) for number, name in enumerate(steps, 1) for _ in name.split()[1:]]


def test_boards_go_from_the_start_to_the_goal(solved):
    _, page, result = solved
    drawn = re.findall(r"<svg.*?</svg>", section(page, "boards"))
    steps = [int(step) for step in re.findall(r"<figcaption>step (\d+)</figcaption>", section(page, "boards"))]
    assert steps[0] == 0 and steps[-1] == result["plan_length"] and len(drawn) == len(steps) <= 8
    last = re.findall(r'<rect x="(\S+)" y="(\S+)" .*?>(\d)</text>', drawn[-1])
    assert [int(float(y) // 50) * 3 + int(float(x) // 50) for x, y, _ in last] == [int(tile) for *_, tile in last]


@pytest.mark.parametrize(
    ("atoms", "texts"),
    [
        ({"at(c2, p1)", "at(c1, p2)", "now(rest)"}, ["2", "1"]),
        ({"ontable(a)", "on(b, a)", "clear(b)", "holding(c)"}, ["a", "b", "c"]),
        ({"on-table(a)", "clear(a)", "arm-empty()"}, ["a"]),
        ({"at(t1, p1)", "blank(p0)", "at(t2, p3)", "at(t3, p2)", "next-to(p0, p2)"}, ["1", "3", "2"]),
        ({"at(truck, depot)", "road(depot, port)"}, []),
        ({"at(t1, p9)", "blank(p0)"}, []),
        (set(), []),
    ],
)
def test_states_of_puzzles_are_drawn_and_others_are_not(atoms, texts):
    drawn = boards.boards([(0, frozenset(f"Atom {atom}" for atom in atoms))])
    assert sorted(re.findall(r">([^<]+)</text>", drawn)) == sorted(texts)


def test_a_long_plan_with_many_objects_stays_a_picture():
    picture, note = strip.strip([f"drive truck{i % 60} place{i % 7}" for i in range(5000)])
    assert note == "The 40 most used of 67 objects."
    left = [float(x) for x in re.findall(r'<rect x="([\d.]+)"', picture)]
    assert max(left) < charts.WIDTH
    assert strip.strip(["noop"]) == ("", "")
