import { join, relative, resolve } from "node:path"
import { parseJson } from "@switchyard/core/text/parse-json"
import type { TestCounts } from "@switchyard/core/work/gate/schema"
import * as z from "zod"
import { locate } from "../programs/locate.ts"
import { missingProgram } from "./missing-program.ts"
import { diskOf, type ProgramEnd, type Workdir } from "./workdir.ts"

/** A command that failed, and its environment. */
export interface FailedCommand {
  end: Pick<ProgramEnd, "output">
  /** Test counts in the output. Undefined if the command ran no tests. */
  tests: TestCounts | undefined
  workdir: Workdir
  /** True if the command had no network access. */
  isOffline: boolean
}

/**
 * Explains why a failed command couldn't work in the check's environment: a program is missing, an install script would
 * have built files, there is no network, or there is no database server. Returns undefined if the project itself may be
 * at fault.
 */
export async function whyBlocked({ end, tests, workdir, isOffline }: FailedCommand): Promise<string | undefined> {
  const lines = end.output.split("\n").map((line) => line.slice(0, MAX_LINE_CHARS))
  // A failed assertion is the project's own fault, even if the environment also lacked something.
  if (lines.some((line) => ASSERTION.test(line))) return undefined
  const causes = [
    () => notFound(lines, workdir.env.PATH ?? ""),
    () => unbuiltPackage(lines, workdir),
    () => (isOffline ? unreachableHost(lines) : undefined),
    () => missingServer(lines),
  ]
  for (const find of causes) {
    const cause = await find()
    // Every failed test must have reported the cause. Otherwise, some tests failed for a different reason.
    if (cause && (tests?.failed ?? 0) <= cause.reports) return cause.reason
  }
  return undefined
}

/** A cause outside the project, with the number of output lines that report it. */
interface Cause {
  reason: string
  reports: number
}

const MAX_LINE_CHARS = 500
const ASSERTION =
  /\bAssert(?:ion|ionFailed)Error\b|\bassertion failed\b|\bassert(?:ion)? `|^E\s+assert\b|\bexpect\(|^\s*Expected\b/i

/** Languages and tools that package managers don't install. If one is missing, the project isn't at fault. */
const TOOLS: ReadonlySet<string> = new Set(
  "node npm npx pnpm yarn bun deno python python3 pip pip3 go cargo rustc java javac mvn gradle make cmake gcc g++ cc c++ ruby bundle php composer dotnet swift mix docker git psql sqlite3 redis-server".split(
    " ",
  ),
)
const NOT_FOUND =
  /^(?:\S*sh: )?(?:\d+: |line \d+: |.*: line \d+: )?([\w+.-]{1,40}): (?:command )?not found$|\bspawn ([\w+.-]{1,40}) ENOENT\b/

async function notFound(lines: string[], path: string): Promise<Cause | undefined> {
  const named = lines.flatMap((line) => {
    const [, shell, spawned] = NOT_FOUND.exec(line.trim()) ?? []
    const name = shell ?? spawned
    return name !== undefined && TOOLS.has(name) ? [name] : []
  })
  for (const name of new Set(named)) {
    if (await locate(name, path)) continue
    return { reason: missingProgram({ missing: name }), reports: named.length }
  }
  return undefined
}

/** Error messages of packages without the files that their install scripts would have built or downloaded. */
const UNBUILT =
  /Could not locate the bindings file|No native build was found|Cannot find module '[^']{1,300}\.node'|Could not find Chrome|did not initialize yet|failed to install correctly|binary is missing|Could not load the "[^"]{1,80}" module using/
/** Number of lines that are searched for the package's name, starting with the error message. */
const NEAR_LINES = 30
const PACKAGES = "node_modules/"

async function unbuiltPackage(lines: string[], workdir: Workdir): Promise<Cause | undefined> {
  const at = lines.flatMap((line, index) => (UNBUILT.test(line) ? [index] : []))
  const first = at[0]
  if (first === undefined) return undefined
  const named = lines.slice(first, first + NEAR_LINES).flatMap((line) => line.split(/[\s'"(]/).flatMap(packageIn))
  for (const { folder, name } of new Map(named.map((one) => [one.folder, one])).values()) {
    if (!(await hasInstallScript(workdir, resolve(workdir.cwd, folder)))) continue
    const reason = `It needs what ${name} builds or downloads in its install script, and checks don't run install scripts. To check it, use a package that doesn't need such a script.`
    return { reason, reports: at.length }
  }
  return undefined
}

/** Returns the innermost package in a path, if any. */
function packageIn(path: string): { folder: string; name: string }[] {
  const at = path.lastIndexOf(PACKAGES) + PACKAGES.length
  const name = at < PACKAGES.length ? undefined : /^(?:@[\w.-]+\/)?[\w.-]+/.exec(path.slice(at))?.[0]
  return name === undefined ? [] : [{ folder: path.slice(0, at).replace(/^file:\/\//, "") + name, name }]
}

const Package = z.object({ scripts: z.record(z.string(), z.string()).catch({}) })

/** True if npm would run a script while installing the package in this folder. */
async function hasInstallScript(workdir: Workdir, folder: string): Promise<boolean> {
  if (relative(workdir.cwd, folder).startsWith("..")) return false
  const disk = diskOf(workdir)
  const read = (file: string) => disk.readText(join(folder, file)).catch(() => undefined)
  const scripts = Package.safeParse(parseJson((await read("package.json")) ?? "")).data?.scripts ?? {}
  const isScripted = ["preinstall", "install", "postinstall"].some((name) => name in scripts)
  return isScripted || (await read("binding.gyp")) !== undefined
}

/** Error messages about a host that couldn't be found or reached. The message may contain the host's name. */
const UNREACHABLE = [
  /\bgetaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<host>[\w.-]{1,253})/,
  /\bCould not resolve host: (?<host>[\w.-]{1,253})/,
  /\bdial (?:tcp|udp): lookup (?<host>[\w.-]{1,253})/,
  /\bFailed to resolve '(?<host>[\w.-]{1,253})'/,
  /\bUnknownHostException: (?<host>[\w.-]{1,253})/,
  /\b(?:ENETUNREACH|EHOSTUNREACH) (?<host>[\w.:]{1,253})/,
  /\bTemporary failure in name resolution|\bName or service not known|\bNetwork is unreachable|\bfailed to lookup address/,
]

function unreachableHost(lines: string[]): Cause | undefined {
  const found = lines.flatMap((line) => {
    const match = UNREACHABLE.map((pattern) => pattern.exec(line)).find((each) => each !== null)
    return match ? [match] : []
  })
  const hosts = [...new Set(found.flatMap(({ groups }) => groups?.host ?? []))]
  const others = hosts.filter((host) => host !== "localhost")
  if (found.length === 0 || (hosts.length > 0 && others.length === 0)) return undefined
  const named = others.length > 0 ? ` (${others.slice(0, 3).join(", ")})` : ""
  return { reason: `It needs the network${named}, and only installs have one here.`, reports: found.length }
}

const SERVERS: Record<string, string> = {
  1433: "SQL Server",
  3306: "MySQL",
  5432: "PostgreSQL",
  5672: "RabbitMQ",
  6379: "Redis",
  9092: "Kafka",
  9200: "Elasticsearch",
  11211: "Memcached",
  27017: "MongoDB",
}
const REFUSED = new RegExp(`\\b(${Object.keys(SERVERS).join("|")})\\b`)

function missingServer(lines: string[]): Cause | undefined {
  const ports = lines.flatMap((line) => (/refused/i.test(line) ? (REFUSED.exec(line)?.[1] ?? []) : []))
  const [port] = ports
  if (port === undefined) return undefined
  return {
    reason: `It needs a ${SERVERS[port]} server on port ${port}, and none is running here.`,
    reports: ports.length,
  }
}
