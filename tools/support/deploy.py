"""Holds the files of Deploy against Kubernetes's schemas, and against what this repository says. Run by tools/support/check-deploy."""

import pathlib
import re
import sys
import warnings

import yaml

import kubernetes_validate

DEPLOY = pathlib.Path("Deploy")
PAGES = pathlib.Path("Sources/Jetsam/Documentation.docc")
ALERTS = DEPLOY / "Kubernetes/alerts.yaml"
# The oldest version that resizes in place without being asked to be able to, and the newest that there is a schema of.
VERSIONS = ["1.33", kubernetes_validate.latest_version()]
# Of Prometheus's operator, and in no schema of Kubernetes's.
FOREIGN = {("monitoring.coreos.com/v1", "PodMonitor"), ("monitoring.coreos.com/v1", "PrometheusRule")}
# What JetsamPolicy's defaults are, for the arithmetic in comments and targets.
WARNING_SHARE = 0.2

faults = []


def expect(holds, what):
    if not holds:
        faults.append(what)


def section(title, count):
    print(f"{title}: {count}")


def rules():
    """The alert rules, as the page on metrics has them: the one place where they are written."""
    page = (PAGES / "Observability.md").read_text()
    blocks = [block for block in re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S) if "- alert:" in block]
    if len(blocks) != 1:
        sys.exit(f"error: Observability.md should have one block of alert rules, and has {len(blocks)}")
    return blocks[0]


def prometheus_rule():
    head = [
        "# Made from the alert rules in Sources/Jetsam/Documentation.docc/Observability.md by tools/support/check-deploy --write.",
        "# Change them there.",
        "apiVersion: monitoring.coreos.com/v1",
        "kind: PrometheusRule",
        "metadata:",
        "  name: jetsam",
        "spec:",
    ]
    return "\n".join(head + [("  " + line).rstrip() for line in rules().rstrip().splitlines()]) + "\n"


def table(page):
    """The words in backquotes in the first column of a page's tables."""
    return set(re.findall(r"^\| `([^`]+)` \|", (PAGES / page).read_text(), re.M))


def variable(setting):
    return "JETSAM_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", setting).replace(".", "_").upper()


def seconds(text):
    match = re.fullmatch(r"([0-9.]+)(ms|s|m|min)?", str(text))
    if not match:
        sys.exit(f"error: {text} is not a time such as 30s or 500ms")
    number, unit = match.groups()
    return float(number) * {"ms": 0.001, None: 1, "s": 1, "m": 60, "min": 60}[unit]


def size(text):
    match = re.fullmatch(r"([0-9]+)(Ki|Mi|Gi|K|M|G)?", str(text))
    if not match:
        sys.exit(f"error: {text} is not a size such as 512Mi or 512M")
    number, unit = match.groups()
    return int(number) << {None: 0, "K": 10, "M": 20, "G": 30}[unit and unit[0]]


def check_schemas(manifests):
    for path, manifest in manifests:
        kind = (manifest["apiVersion"], manifest["kind"])
        if kind in FOREIGN:
            expect({"name"} <= set(manifest["metadata"]) and manifest["spec"], f"{path}: no name, or no spec")
            continue
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(manifest, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                place = ".".join(str(step) for step in error.path)
                faults.append(f"{path}: Kubernetes {version}: {place}: {error.message}")
            except kubernetes_validate.SchemaNotFoundError as error:
                faults.append(f"{path}: Kubernetes {version}: {error.message}")


def check_environment(place, variables, settings):
    for name in variables:
        expect(
            not name.startswith("JETSAM_") or name in settings,
            f"{place}: {name} is the variable of no setting in Thresholds.md")


def check_grace(place, kill_after, variables):
    grace = seconds(variables.get("JETSAM_LIFECYCLE_TERMINATION_GRACE_PERIOD", "30s"))
    delay = seconds(variables.get("JETSAM_LIFECYCLE_DRAIN_DELAY", "0"))
    expect(kill_after >= grace, f"{place}: it is killed after {kill_after:g} s, and Jetsam counts on {grace:g} s")
    # Expiry of background tasks, entering the background and the exit room take 9 s with the defaults.
    expect(delay + 9 <= grace, f"{place}: a drain delay of {delay:g} s leaves too little of {grace:g} s")


def check_pods(manifests, settings, smoke_test):
    """What the objects say of each other, and of the program that they run."""
    by_kind = {manifest["kind"]: (path, manifest) for path, manifest in manifests}
    path, deployment = by_kind["Deployment"]
    pod = deployment["spec"]["template"]
    labels = pod["metadata"]["labels"]
    container = pod["spec"]["containers"][0]
    selectors = {
        "Deployment": deployment["spec"]["selector"]["matchLabels"],
        "Service": by_kind["Service"][1]["spec"]["selector"],
        "PodDisruptionBudget": by_kind["PodDisruptionBudget"][1]["spec"]["selector"]["matchLabels"],
        "PodMonitor": by_kind["PodMonitor"][1]["spec"]["selector"]["matchLabels"],
    }
    for kind, selector in selectors.items():
        expect(selector.items() <= labels.items(), f"{by_kind[kind][0]}: {selector} does not choose the pods, {labels}")

    ports = {port["name"] for port in container["ports"]}
    used = {
        "Service": by_kind["Service"][1]["spec"]["ports"][0]["targetPort"],
        "PodMonitor": by_kind["PodMonitor"][1]["spec"]["podMetricsEndpoints"][0]["port"],
    }
    probes = {name: container[name]["httpGet"] for name in ("startupProbe", "readinessProbe", "livenessProbe")}
    used.update({name: probe["port"] for name, probe in probes.items()})
    for user, port in used.items():
        expect(port in ports, f"{user}: there is no port {port} in {path}")
    routes = [probe["path"] for probe in probes.values()]
    routes += [endpoint["path"] for endpoint in by_kind["PodMonitor"][1]["spec"]["podMetricsEndpoints"]]
    for route in routes:
        expect(re.search(rf"{route}\b", smoke_test), f"{path}: the demo server is not known to answer {route}")
    expect(
        probes["readinessProbe"]["path"] != probes["livenessProbe"]["path"],
        f"{path}: liveness asks for readiness, and ends what drains")

    variables = {entry["name"]: entry["value"] for entry in container["env"]}
    check_environment(path, variables, settings)
    check_grace(path, pod["spec"]["terminationGracePeriodSeconds"], variables)
    expect("lifecycle" not in container, f"{path}: a preStop hook takes its time from the grace period")
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
    expect(set(mounts.values()) == volumes, f"{path}: volumes {volumes} and mounts {set(mounts.values())} differ")
    for name, value in variables.items():
        if name.endswith("_DIRECTORY"):
            inside = any(value.startswith(mount + "/") for mount in mounts)
            expect(inside, f"{path}: {name}={value} is not inside a mount, and the root file system cannot be written")

    limit = size(container["resources"]["limits"]["memory"])
    expect(size(container["resources"]["requests"]["memory"]) == limit, f"{path}: memory's request is not its limit")
    autoscaler_path, autoscaler = by_kind["HorizontalPodAutoscaler"]
    expect(
        autoscaler["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"],
        f"{autoscaler_path}: scales something else")
    metrics = [entry["pods"] for entry in autoscaler["spec"]["metrics"] if entry["type"] == "Pods"]
    for metric in metrics:
        target = size(metric["target"]["averageValue"])
        expect(
            target < limit * (1 - WARNING_SHARE),
            f"{autoscaler_path}: at {target >> 20}Mi needed of {limit >> 20}Mi each pod is short of memory before it scales")
    return container, pod, {metric["metric"]["name"] for metric in metrics}


def check_metrics(names, documented):
    for name in names:
        expect(name in documented, f"{name} is no metric of Observability.md")


def check_unit(path, settings):
    """The parts that systemd-analyze does not know of."""
    lines = [line.split("=", 1) for line in path.read_text().splitlines() if re.match(r"[A-Za-z]+=", line)]
    unit = dict(lines)
    variables = dict(value.split("=", 1) for key, value in lines if key == "Environment")
    check_environment(path, variables, settings)
    check_grace(path, seconds(unit["TimeoutStopSec"]), variables)
    high, limit = size(unit["MemoryHigh"]), size(unit["MemoryMax"])
    expect(
        limit * (1 - WARNING_SHARE) < high < limit,
        f"{path}: MemoryHigh= has to lie between where warnings begin and MemoryMax=")


def check_image(container, pod):
    """The stages, the paths and the user of the Dockerfile. No engine has built it."""
    path = DEPLOY / "Dockerfile"
    text = re.sub(r"\\\n", " ", path.read_text())
    steps = [line.split(None, 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    known = {"ARG", "FROM", "RUN", "WORKDIR", "COPY", "ENV", "USER", "EXPOSE", "ENTRYPOINT", "CMD"}
    stages, copied, ends = [], [], {}
    for word, rest in steps:
        expect(word in known, f"{path}: {word} is not expected")
        if word == "FROM":
            match = re.fullmatch(r"(\S+)(?: AS (\w+))?", rest)
            stages.append(match.group(2) or "")
            for name in re.findall(r"\$\{(\w+)\}", rest):
                expect(any(w == "ARG" and r.startswith(name + "=") for w, r in steps), f"{path}: no ARG {name}")
        elif word == "COPY":
            source = re.match(r"--from=(\w+) ", rest)
            places = rest.split()[1 if source else 0:]
            if source:
                expect(source.group(1) in stages[:-1], f"{path}: COPY --from={source.group(1)} names no stage before it")
                copied += [places[-1] + pathlib.Path(place).name for place in places[:-1]]
            else:
                expect(all(pathlib.Path(place).exists() for place in places[:-1]), f"{path}: COPY {rest}: not there")
        ends[word] = rest
    entry = yaml.safe_load(ends["ENTRYPOINT"])
    expect(entry[0] in copied, f"{path}: {entry[0]} is started and was not copied from the stage that builds")
    manifests = pathlib.Path("Package.swift").read_text() + pathlib.Path("tools/demo-server/Package.swift").read_text()
    for product in re.findall(r"--product (\S+)", text):
        expect(f'name: "{product}"' in manifests, f"{path}: there is no product {product}")
    for place in re.findall(r"--package-path (\S+)", text):
        expect(pathlib.Path(place, "Package.swift").exists(), f"{path}: there is no package {place}")
    for folder in re.findall(r"(/build/\w+)/release/", text):
        expect(re.search(rf"--scratch-path {folder}\s", text), f"{path}: nothing is built into {folder}")
    user = ends["USER"].split(":")[0]
    expect(user.isdigit() and int(user) == pod["spec"]["securityContext"]["runAsUser"], f"{path}: USER is not that of the pod")
    expect(f"--uid {user} " in text, f"{path}: user {user} is not made")
    expect(int(ends["EXPOSE"]) == container["ports"][0]["containerPort"], f"{path}: EXPOSE is not the pod's port")
    return len(stages)


def main(arguments):
    warnings.simplefilter("ignore")
    if arguments[0] == "--write":
        ALERTS.write_text(prometheus_rule())
        arguments = arguments[1:]
    pathlib.Path(arguments[0]).write_text(rules())
    expect(
        ALERTS.exists() and ALERTS.read_text() == prometheus_rule(),
        f"{ALERTS} is not what Observability.md says: run tools/support/check-deploy --write")
    manifests = [
        (path, manifest)
        for path in sorted(DEPLOY.glob("Kubernetes/*.yaml"))
        for manifest in yaml.safe_load_all(path.read_text())
    ]
    settings = {variable(name) for name in table("Thresholds.md")}
    documented = table("Observability.md")
    smoke_test = pathlib.Path("tools/demo-server/Scripts/smoke.bash").read_text()

    check_schemas(manifests)
    section(f"manifests, by the schemas of Kubernetes {' and '.join(VERSIONS)}", len(manifests))
    container, pod, scaled = check_pods(manifests, settings, smoke_test)
    alerts = [rule for group in yaml.safe_load(rules())["groups"] for rule in group["rules"]]
    named = {name for rule in alerts for name in re.findall(r"\bjetsam_\w+", rule["expr"])}
    check_metrics(named | scaled, documented)
    section("metrics that alerts and the autoscaler name", len(named | scaled))
    for path in sorted(DEPLOY.glob("systemd/*.service")):
        check_unit(path, settings)
    section("stages of the Dockerfile, which no engine has built", check_image(container, pod))
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
