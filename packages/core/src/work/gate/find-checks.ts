import * as z from "zod"
import { parseJson } from "../../text/parse-json.ts"
import { type CheckCommands, CheckName, type ProjectType, type RepositoryChecks } from "./schema.ts"
import { programsOf } from "./set-commands.ts"

/** A command that checks a project. A shell runs it in the project's folder. */
export interface Check {
  name: CheckName
  command: string
  /** Program that the command needs, which a machine may lack. */
  program: string
  /** A file of the project to open in a browser instead of running the command. */
  page?: string
  /** Other programs that the command uses if the machine has them. */
  others?: string[]
  /** True if a person set the command. */
  set?: true
  /**
   * True if it may use the network. Then it only fetches packages and runs no code of theirs or the project, unless
   * `guarded`.
   */
  network?: boolean
  /** True if it runs code of the project while it fetches packages, so that it may reach only registries. */
  guarded?: true
}

/** A project, as far as its checks depend on it. */
export interface ProjectFiles {
  has(path: string): boolean
  /** Returns the text of a file. Undefined if there is none. */
  text(path: string): string | undefined
  paths(): Iterable<string>
}

/**
 * Returns the checks of a project in their running order: those that its manifest declares by the conventions of its
 * language, replaced by those a person set. Empty if nothing can be built, tested or started.
 */
export function findChecks(project: ProjectFiles, set: RepositoryChecks = {}): Check[] {
  const declared = declaredChecks(project, set.project_type)?.checks ?? []
  const found = [...declared, ...page(project, declared)]
  const checks = withSet(found, set)
  return provesAnything(checks) ? checks : []
}

/**
 * Returns the manifests of one ecosystem and the checks they declare. If there are several ecosystems, takes the one of
 * `type`, or else the first that can be built, tested or started. Undefined if there are no manifests.
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
  /** Null if the manifests belong to no language. */
  type: ProjectType | null
  manifests: string[]
  checks: Check[]
}

function isSameEcosystem(a: ProjectType | null, b: ProjectType): boolean {
  const plain = (type: ProjectType | null) => (type === "typescript" ? "javascript" : type)
  return plain(a) === plain(b)
}

/** True for checks beyond installing, which proves nothing about the project. */
function provesAnything(checks: Check[]): boolean {
  return checks.some(({ name }) => name !== "install")
}

/**
 * Returns the checks, replaced by those a person set. Only detected commands may use the network, because other
 * commands may run anything.
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

interface Ecosystem {
  typeOf(project: ProjectFiles): ProjectType | null
  /** Returns its existing manifests. */
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
    checks: npm,
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

/** Returns the manifests of a Python project, or else its first test file, because many projects have no manifest. */
function pythonFiles(project: ProjectFiles): string[] {
  const declared = withFile("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")(project)
  if (declared.length > 0) return declared
  return [...project.paths()].filter(isPythonTest).slice(0, 1)
}

function isPythonTest(path: string): boolean {
  return /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path)
}

const Manifest = z.object({
  scripts: z.record(z.string(), z.string()).catch({}),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}),
  engines: z.object({ node: z.string() }).partial().catch({}),
})

/**
 * Returns the oldest Node version that a project supports, such as `24` or `20.11.0`. Undefined unless it is declared
 * as a simple `>=`.
 */
export function oldestNode(project: ProjectFiles): string | undefined {
  const manifest = Manifest.safeParse(parseJson(project.text("package.json") ?? "")).data
  return /^>=\s*v?(\d+(?:\.\d+){0,2})$/.exec(manifest?.engines.node?.trim() ?? "")?.[1]
}

/** True if a version is equal to another one or later. */
export function isAtLeast(version: string, other: string): boolean {
  const [parts, least] = [version, other].map((text) => text.replace(/^v/, "").split(".").map(Number))
  for (const index of [0, 1, 2]) {
    const difference = (parts?.[index] ?? 0) - (least?.[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

/** Returns the project's own definition of its test command: a script of its manifest, or a target of its Makefile. */
export function testDefinition(project: ProjectFiles): string {
  const manifest = Manifest.safeParse(parseJson(project.text("package.json") ?? "")).data
  const target = /^test\s*:(?!=)[^\n]*(?:\n[\t ][^\n]*)*/m.exec(project.text("Makefile") ?? "")?.[0]
  return manifest?.scripts.test ?? target ?? ""
}

/** Written by `npm init` for a project without tests. */
const NO_TESTS = /no test specified/

function npm(project: ProjectFiles): Check[] {
  const manifest = Manifest.safeParse(parseJson(project.text("package.json") ?? "")).data
  if (!manifest) return []
  const { scripts, dependencies, devDependencies } = manifest
  const packages = Object.keys({ ...dependencies, ...devDependencies }).length
  const { program, install } = packageManagerOf(project)
  const checks: Check[] = []
  if (packages > 0) checks.push({ name: "install", command: install, program, network: true })
  const run = program === "npm" ? "npm run" : program
  if (scripts.build) checks.push({ name: "build", command: `${run} build`, program })
  if (scripts.lint && !doesNothing(scripts.lint)) checks.push({ name: "lint", command: `${run} lint`, program })
  if (scripts.test && !NO_TESTS.test(scripts.test) && !doesNothing(scripts.test))
    checks.push({ name: "test", command: `${program} test`, program })
  if (scripts.start) checks.push({ name: "start", command: `${program} start`, program })
  return checks
}

/** True if a command can't fail, whatever the project contains. */
function doesNothing(script: string): boolean {
  return script
    .split(/&&|\|\||[;|&\n]/)
    .every((part) => /^\s*(?:(?:true|:|echo\b.*|printf\b.*|exit(?:\s+0)?)\s*)?$/.test(part))
}

function packageManagerOf(project: ProjectFiles): { program: string; install: string } {
  if (project.has("pnpm-lock.yaml")) {
    return { program: "pnpm", install: "pnpm install --frozen-lockfile --ignore-scripts --ignore-pnpmfile" }
  }
  const verb = project.has("package-lock.json") ? "ci" : "install"
  // A project's .npmrc may name any program as git.
  return { program: "npm", install: `npm ${verb} --ignore-scripts --git=git --no-audit --no-fund` }
}

const go: Check[] = [
  { name: "install", command: "go mod download", program: "go", network: true },
  { name: "build", command: "go build ./...", program: "go" },
  { name: "test", command: "go test ./...", program: "go" },
]

function cargo(project: ProjectFiles): Check[] {
  // Its configuration may name programs that take part even in a download.
  const isConfigured = [...project.paths()].some((path) => path.startsWith(".cargo/"))
  return [
    ...(isConfigured ? [] : [{ name: "install", command: "cargo fetch", program: "cargo", network: true } as const]),
    { name: "build", command: "cargo build --offline", program: "cargo" },
    { name: "test", command: "cargo test --offline", program: "cargo" },
  ]
}

/** Maven downloads its plugins with the packages, and the test plugin only when there are tests. */
const maven: Check[] = [
  { name: "build", command: "mvn -B -ntp -DskipTests package", program: "mvn", network: true, guarded: true },
  { name: "test", command: "mvn -B -ntp test", program: "mvn", network: true, guarded: true },
]

/** Installing a package that isn't a wheel runs its code. */
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

/** True for a package by name from the index, not a folder, address or option. */
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

/** Tools that run code of the project while they fetch packages, and so with network access. */
const UNSAFE_TOOLS: Record<string, string> = { "build.gradle": "Gradle", "build.gradle.kts": "Gradle" }

/** Explains why no check was found in a project. */
export function whyNoChecks(project: Pick<ProjectFiles, "has">): string {
  const manifest = Object.keys(UNSAFE_TOOLS).find((path) => project.has(path))
  if (manifest === undefined) return "The project has no command to build, test or start it."
  return whyUnguarded(UNSAFE_TOOLS[manifest] ?? "")
}

/** Explains why a tool isn't started that would run project code with the machine's network. */
export function whyUnguarded(tool: string): string {
  return `${tool} runs code of the project while it fetches packages, so it isn't started here automatically. Set your own commands: they run without a network.`
}

const Lock = z.object({
  packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().catch(false) }).partial()).catch({}),
})

/** Returns the packages with install scripts, by npm's lock file. Checks don't run these scripts. */
export function withInstallScripts(project: Pick<ProjectFiles, "text">): string[] {
  const lock = Lock.safeParse(parseJson(project.text("package-lock.json") ?? "")).data
  return Object.entries(lock?.packages ?? {})
    .filter(([path, { hasInstallScript }]) => path !== "" && hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length))
}

/** Finds a page that a browser can open directly, because nothing builds or serves it. */
function page(project: ProjectFiles, declared: Check[]): Check[] {
  const html = project.text("index.html")
  const isServed = declared.some(({ name }) => name === "build" || name === "start")
  if (html === undefined || isServed || /\bsrc=["']?[^"'\s>]*\.(?:tsx?|jsx|vue|svelte)\b/i.test(html)) return []
  return [{ name: "start", command: "open index.html", program: "sh", page: "index.html" }]
}
