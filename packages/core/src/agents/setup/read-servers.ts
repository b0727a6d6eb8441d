import { parse as parseToml } from "smol-toml"
import * as z from "zod"

/** An MCP server of a person's own setup. Its environment and headers may contain secrets. */
export type SetupServer = { name: string } & (
  | { transport: "command"; command: string; args: string[]; env: Record<string, string> }
  | { transport: "url"; url: string; headers: Record<string, string> }
)

/** Part of a program's settings that names MCP servers. */
export interface ServerSource {
  /** Path in the home. */
  path: string
  /** Field of the settings that contains the servers. */
  field: string
}

interface Found {
  servers: SetupServer[]
  omitted: { name: string; reason: string }[]
}

const MAX_SERVERS = 20
/** Names that stay unambiguous as a prefix of tools' names. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?=[A-Za-z0-9-])){0,31}$/
const Texts = z.record(z.string().min(1).max(200), z.string().max(10_000))

/** Fields of all programs. Everything else that a server has, such as approvals, is ignored. */
const Entry = z.object({
  name: z.string().optional(),
  command: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  args: z.array(z.string()).default([]),
  env: Texts.default({}),
  environment: Texts.default({}),
  url: z.string().optional(),
  httpUrl: z.string().optional(),
  headers: Texts.default({}),
  http_headers: Texts.default({}),
  type: z.string().optional(),
  enabled: z.boolean().optional(),
  disabled: z.boolean().optional(),
})

/** Fields that name environment variables or helpers, which agents and their servers never get. */
const REFERENCES = ["bearer_token_env_var", "env_vars", "env_http_headers", "headersHelper", "api_key_env", "oauth"]

/** Fields by which an owner switches off some of a server's tools. */
const RESTRICTIONS = ["enabled_tools", "disabled_tools", "includeTools", "excludeTools"]

/** Reads the MCP servers from a program's settings. Returns none if the settings can't be parsed. */
export function serversIn(text: string, { path, field }: ServerSource): Found {
  const found: Found = { servers: [], omitted: [] }
  for (const [name, value] of entriesIn(text, path, field)) {
    const server = found.servers.length < MAX_SERVERS ? serverOf(name, value) : `more than ${MAX_SERVERS} servers`
    if (typeof server === "string") found.omitted.push({ name: name.slice(0, 100), reason: server })
    else if (server) found.servers.push(server)
  }
  return found
}

function entriesIn(text: string, path: string, field: string): [name: string, value: unknown][] {
  const settings = tried(() => (path.endsWith(".toml") ? parseToml(text) : JSON.parse(text)))
  const servers = typeof settings === "object" && settings !== null ? settings[field] : undefined
  if (Array.isArray(servers)) return servers.map((server) => [String(server?.name), server])
  return typeof servers === "object" && servers !== null ? Object.entries(servers) : []
}

/** Returns the server. Returns a reason if agents can't have it, and undefined if it is switched off. */
function serverOf(name: string, value: unknown): SetupServer | string | undefined {
  const parsed = Entry.safeParse(value)
  if (!parsed.success) return "its settings can't be read"
  if (parsed.data.enabled === false || parsed.data.disabled === true) return undefined
  if (!NAME.test(name) || name.toLowerCase() === "switchyard") return "its name can't be part of a tool's name"
  const has = (field: string) => Object.hasOwn(value as object, field)
  if (REFERENCES.some(has)) return "its settings name variables or helpers"
  if (RESTRICTIONS.some(has)) return "its settings restrict its tools"
  const { command, args, env, environment, url, httpUrl, headers, http_headers, type } = parsed.data
  if (/\$\{?[A-Za-z_]|\{(?:env|file):/.test(JSON.stringify(parsed.data)))
    return "its settings refer to variables or files"
  if (command !== undefined) {
    const [file = "", ...rest] = typeof command === "string" ? [command, ...args] : command
    return { name, transport: "command", command: file, args: rest, env: { ...env, ...environment } }
  }
  const address = httpUrl ?? url
  if (address === undefined) return "it has neither a command nor a URL"
  if (type === "sse") return "it uses the old SSE transport"
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return "its URL isn't an HTTP URL"
  return { name, transport: "url", url: address, headers: { ...headers, ...http_headers } }
}

// biome-ignore lint/suspicious/noExplicitAny: settings of a program, whose entries are parsed one by one
function tried(parse: () => any): any {
  try {
    return parse()
  } catch {
    return undefined
  }
}
