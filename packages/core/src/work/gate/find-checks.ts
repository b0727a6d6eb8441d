import { runsBundler } from "./bundlers.ts"
import type { Check, ProjectFiles } from "./check.ts"
import { nodeChecks, packageManagerOf, readManifest } from "./node-project.ts"
import { loadsSources } from "./page-scripts.ts"
import { type CheckCommands, CheckName, type ProjectType, type RepositoryChecks } from "./schema.ts"
import { programsOf } from "./set-commands.ts"

/**
 * Returns a project's checks in execution order. They are derived from the manifest according to the language's
 * conventions, unless a person has set commands. Empty if the project has nothing to build, test or start.
 */
export function findChecks(project: ProjectFiles, set: RepositoryChecks = {}): Check[] {
  const declared = declaredChecks(project, set.project_type)?.checks ?? []
  const found = [...declared, ...page(project, declared)]
  const checks = withSet(found, set)
  return provesAnything(checks) ? checks : []
}

/** Command that starts a project's server, and the commands to run before it. */
export interface ServerCommands {
  before: Check[]
  start: Check
}

/**
 * Returns the commands that start a project's server so that a person can look at it. Undefined if there are none.
 * Without a start command, uses a bundler's `dev` script, which needs no build. Checks don't run that script, because
 * it may serve sources that a build would reject.
 */
export function findServer(project: ProjectFiles, set: RepositoryChecks = {}): ServerCommands | undefined {
  const checks = findChecks(project, set)
  const start = checks.find(({ name, page }) => name === "start" && page === undefined)
  if (start) return { before: checks.filter(({ name }) => name === "install" || name === "build"), start }
  const manifest = readManifest(project)
  if (!manifest?.scripts.dev || !runsBundler(manifest.scripts.dev)) return undefined
  const { program } = packageManagerOf(project)
  const before = withSet(nodeChecks(project), set).filter(({ name }) => name === "install")
  return { before, start: { name: "start", command: `${program} run dev`, program } }
}

/**
 * Returns the manifests of one ecosystem and the checks that they declare. Prefers the ecosystem of `type`, and then
 * the first ecosystem whose checks do more than install. Undefined if there are no manifests.
 */
export function declaredChecks(project: ProjectFiles, type?: ProjectType): DeclaredChecks | undefined {
  const all = ecosystems.flatMap(({ typeOf, manifests, checks }): DeclaredChecks[] => {
    const there = manifests(project)
    return there.length > 0 ? [{ type: typeOf(project), manifests: there, checks: checks(project) }] : []
  })
  const proving = all.filter(({ checks }) => provesAnything(checks))
  const wanted = proving.find((one) => type !== undefined && isSameEcosystem(one.type, type))
  return wanted ?? proving[0] ?? all.find(({ checks }) => checks.length > 0) ?? all[0]
}

interface DeclaredChecks {
  /** Null if the manifests don't determine a language. */
  type: ProjectType | null
  manifests: string[]
  checks: Check[]
}

function isSameEcosystem(a: ProjectType | null, b: ProjectType): boolean {
  const plain = (type: ProjectType | null) => (type === "typescript" ? "javascript" : type)
  return plain(a) === plain(b)
}

/** Returns true if there is a check other than `install`, because installing proves nothing about the project. */
function provesAnything(checks: Check[]): boolean {
  return checks.some(({ name }) => name !== "install")
}

/**
 * Replaces detected checks with the commands that a person set. Those commands get no network access, because they may
 * run any code.
 */
function withSet(found: Check[], set: CheckCommands): Check[] {
  return CheckName.options.flatMap((name) => {
    const own = found.find((check) => check.name === name)
    const command = set[name]
    if (command === undefined || command === own?.command) return own ?? []
    const [program = "sh", ...others] = programsOf(command)
    return { name, command, program, others, set: true as const }
  })
}

/**
 * Returns the project's own definition of its test command, which is a script in its manifest or a target in its
 * Makefile.
 */
export function testDefinition(project: ProjectFiles): string {
  const manifest = readManifest(project)
  const target = /^test\s*:(?!=)[^\n]*(?:\n[\t ][^\n]*)*/m.exec(project.text("Makefile") ?? "")?.[0]
  return manifest?.scripts.test ?? target ?? ""
}

interface Ecosystem {
  typeOf(project: ProjectFiles): ProjectType | null
  /** Returns the manifests of this ecosystem that exist in the project. */
  manifests(project: ProjectFiles): string[]
  checks(project: ProjectFiles): Check[]
}

const withFile =
  (...names: string[]) =>
  (project: ProjectFiles) =>
    names.filter((name) => project.has(name))

const ecosystems: Ecosystem[] = [
  {
    typeOf: (project) => (tsconfigs(project).length > 0 ? "typescript" : "javascript"),
    manifests: (project) => (project.has("package.json") ? ["package.json", ...tsconfigs(project)] : []),
    checks: nodeChecks,
  },
  { typeOf: () => "go", manifests: withFile("go.mod"), checks: () => go },
  { typeOf: () => "rust", manifests: withFile("Cargo.toml"), checks: cargo },
  { typeOf: () => "java", manifests: withFile("pom.xml"), checks: () => maven },
  { typeOf: () => "python", manifests: pythonFiles, checks: python },
  { typeOf: () => null, manifests: withFile("Makefile"), checks: make },
]

function tsconfigs(project: ProjectFiles): string[] {
  return [...project.paths()].filter((path) => /^tsconfig(?:\.[\w-]+)?\.json$/.test(path)).slice(0, 1)
}

/** Returns a Python project's manifests. If it has none, which is common, returns its first test file. */
function pythonFiles(project: ProjectFiles): string[] {
  const declared = withFile("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")(project)
  if (declared.length > 0) return declared
  return [...project.paths()].filter(isPythonTest).slice(0, 1)
}

function isPythonTest(path: string): boolean {
  return /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path)
}

const go: Check[] = [
  { name: "install", command: "go mod download", program: "go", network: true },
  { name: "build", command: "go build ./...", program: "go" },
  { name: "test", command: "go test ./...", program: "go" },
]

function cargo(project: ProjectFiles): Check[] {
  // Cargo's configuration may name programs that run even during a download, so don't install.
  const isConfigured = [...project.paths()].some((path) => path.startsWith(".cargo/"))
  return [
    ...(isConfigured ? [] : [{ name: "install", command: "cargo fetch", program: "cargo", network: true } as const]),
    { name: "build", command: "cargo build --offline", program: "cargo" },
    { name: "test", command: "cargo test --offline", program: "cargo" },
  ]
}

/** Maven has no separate install step, because it downloads plugins, such as the test plugin, when it needs them. */
const maven: Check[] = [
  { name: "build", command: "mvn -B -ntp -DskipTests package", program: "mvn", network: true, guarded: true },
  { name: "test", command: "mvn -B -ntp test", program: "mvn", network: true, guarded: true },
]

/** Allows only wheels, because installing any other package would run its code. */
const PIP = ".venv/bin/pip install --disable-pip-version-check --quiet --only-binary :all:"

function python(project: ProjectFiles): Check[] {
  if (![...project.paths()].some(isPythonTest)) return []
  const requirements = ["requirements.txt", "requirements-dev.txt"].filter((file) => project.has(file))
  const declared = [...requirements, "pyproject.toml"].map((file) => project.text(file) ?? "").join("\n")
  const usesPytest = /\bpytest\b/.test(declared)
  const packages = [
    ...requirements.map((file) => `-r ${file}`),
    ...(usesPytest && requirements.length === 0 ? ["pytest"] : []),
  ]
  const runner = usesPytest ? "pytest" : "unittest discover -v"
  if (packages.length === 0) return [{ name: "test", command: `python3 -m ${runner}`, program: "python3" }]
  const install = `python3 -m venv .venv && ${PIP} ${packages.join(" ")}`
  const isPlain = requirements.every((file) => (project.text(file) ?? "").split("\n").every(isNamedPackage))
  return [
    { name: "install", command: install, program: "python3", ...(isPlain && { network: true }) },
    { name: "test", command: `.venv/bin/python -m ${runner}`, program: "python3" },
  ]
}

/**
 * Returns true if a line of `requirements.txt` is blank, is a comment, or names a package in the index. False for a
 * folder, URL or option.
 */
function isNamedPackage(line: string): boolean {
  return /^\s*(?:#.*|[A-Za-z0-9][\w.-]*(?:\[[\w,. -]*\])?\s*(?:[<>=!~;].*)?)?$/.test(line) && !line.includes("://")
}

function make(project: ProjectFiles): Check[] {
  const rules = project.text("Makefile") ?? ""
  const targets = (["build", "lint", "test"] as const).filter((name) =>
    new RegExp(`^${name}\\s*:(?!=)`, "m").test(rules),
  )
  return targets.map((name) => ({ name, command: `make ${name}`, program: "make" }))
}

/** Manifests of tools that run project code while they fetch packages, so with network access. */
const UNSAFE_TOOLS: Record<string, string> = { "build.gradle": "Gradle", "build.gradle.kts": "Gradle" }

/** Explains why no checks were found for a project. */
export function whyNoChecks(project: Pick<ProjectFiles, "has">): string {
  const manifest = Object.keys(UNSAFE_TOOLS).find((path) => project.has(path))
  if (manifest === undefined) return "The project has no build, test or start command."
  return whyUnguarded(UNSAFE_TOOLS[manifest] ?? "")
}

/** Explains why a tool isn't started that would run project code with network access. */
export function whyUnguarded(tool: string): string {
  return `${tool} runs project code while it fetches packages, so it isn't started automatically. Set your own commands, which run without network access.`
}

/** Finds a page that a browser can open directly, because it needs no build or server. */
function page(project: ProjectFiles, declared: Check[]): Check[] {
  const html = project.text("index.html")
  const isServed = declared.some(({ name }) => name === "build" || name === "start")
  if (html === undefined || isServed || loadsSources(html)) return []
  return [{ name: "start", command: "open index.html", program: "sh", page: "index.html" }]
}
