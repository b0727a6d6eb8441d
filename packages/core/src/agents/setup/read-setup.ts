import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { dirname, join, normalize } from "node:path/posix"
import type { CliId } from "../clis/clis.ts"
import { importedPaths, type PlainText, plainDocument, plainInstructions, plainTomlCommand } from "./plain-text.ts"
import { entriesOf, filesBelow, locateInHome, readRegular } from "./read-files.ts"
import { type SetupServer, serversIn } from "./read-servers.ts"
import type { SetupItem, SetupOmission } from "./schema.ts"
import { type SetupSources, setupSourcesOf } from "./sources.ts"

/** A file of an agent's home. */
export interface SetupFile {
  path: string
  content: Uint8Array
}

/** A person's own setup for a program, without the parts that agents don't get. */
export interface AgentSetup {
  digest: string
  files: SetupFile[]
  servers: SetupServer[]
  items: SetupItem[]
  omitted: SetupOmission[]
}

/** Maximum size of all files together, and number of omissions that are listed. */
const MAX_TOTAL_BYTES = 4 * 1024 * 1024
const MAX_OMISSIONS = 200
const MAX_IMPORTS = 20
/** Largest settings file. Claude Code also keeps its history in this file. */
const MAX_SETTINGS_BYTES = 32 * 1024 * 1024
/** Extensions of files that instructions may import. No program reads settings from such files. */
const TEXT = /\.(?:md|txt|mdc)$/i
const NO_TEXT = "not a readable UTF-8 text of at most 256 KiB"

/**
 * Reads a person's own setup for a program from their home. Returns only text that takes effect when a model reads it,
 * never permissions, modes, hooks, environment variables or addresses. Links that leave the home are never followed.
 */
export async function readSetup(home: string, cli: CliId): Promise<AgentSetup> {
  const sources = setupSourcesOf(cli)
  const reading = createReading(home)
  if (sources) {
    await readInstructions(reading, sources)
    for (const folder of sources.skills) await readSkills(reading, folder)
    if (sources.commands) await readCommands(reading, sources.commands)
    await readServers(reading, sources)
  }
  return reading.result()
}

type Reading = ReturnType<typeof createReading>

function createReading(home: string) {
  const files = new Map<string, Uint8Array>()
  const items: SetupItem[] = []
  const omitted: SetupOmission[] = []
  const servers: SetupServer[] = []
  let total = 0
  const omit = (path: string, reason: string) => {
    if (omitted.length < MAX_OMISSIONS) omitted.push({ path, reason })
  }
  return {
    home,
    omit,
    /** Finds a source in the home. Omits it if it is a link that leaves the home. */
    async locate(path: string) {
      const found = await locateInHome(home, path)
      if (found === "outside") omit(path, "a link that leaves your home")
      return found === "outside" ? undefined : found
    },
    /** Adds an item with its files, unless the setup would become too large. */
    add(item: Pick<SetupItem, "kind" | "name" | "path"> & { leadsTo: string | undefined }, added: SetupFile[]): void {
      const size = added.reduce((sum, { content }) => sum + content.length, 0)
      if (total + size > MAX_TOTAL_BYTES) {
        omit(item.path, "larger than 4 MiB, together with the rest")
        return
      }
      total += size
      for (const { path, content } of added) files.set(path, content)
      const { leadsTo, ...named } = item
      const about = { files: added.length, size_bytes: size, sha256: hashOf(added) }
      items.push({ ...named, ...(leadsTo !== undefined && { leads_to: leadsTo }), ...about })
    },
    addServer(path: string, server: SetupServer): void {
      const content = Buffer.from(JSON.stringify(server))
      servers.push(server)
      const sha256 = hashOf([{ path, content }])
      const about = { name: server.name, path, detail: detailOf(server), files: 1, size_bytes: content.length, sha256 }
      items.push({ kind: "server", ...about })
    },
    result(): AgentSetup {
      const all = [...files].map(([path, content]) => ({ path, content }))
      const settings = { path: "", content: Buffer.from(JSON.stringify(servers)) }
      const digest = hashOf(servers.length > 0 ? [...all, settings] : all)
      return { digest, files: all, servers, items, omitted }
    },
  }
}

async function readInstructions(reading: Reading, { folder, instructions, rules }: SetupSources): Promise<void> {
  for (const path of instructions) {
    const located = await reading.locate(path)
    if (!located) continue
    const added = await withImports(reading, folder, { path, real: located.real })
    if (added.length > 0) reading.add({ kind: "instructions", name: path, path, leadsTo: located.leadsTo }, added)
    break
  }
  const located = rules === undefined ? undefined : await reading.locate(rules)
  if (!located || rules === undefined) return
  for (const inner of await listed(reading, rules, located.real)) {
    const path = join(rules, inner)
    const text = inner.endsWith(".md") ? await readText(reading, path, join(located.real, inner)) : undefined
    const plain = text === undefined ? undefined : plainDocument(text, path)
    if (plain) addText(reading, { kind: "instructions", path, leadsTo: located.leadsTo }, plain)
  }
}

/** Reads an instruction file, and the files in the program's folder that it imports. */
async function withImports(
  reading: Reading,
  folder: string,
  first: { path: string; real: string },
): Promise<SetupFile[]> {
  const added = new Map<string, Uint8Array>()
  const waiting = [first]
  for (let next = waiting.pop(); next && added.size < MAX_IMPORTS; next = waiting.pop()) {
    const { path, real } = next
    const text = TEXT.test(real) ? await readText(reading, path, real) : reading.omit(path, NO_TEXT)
    if (text === undefined) continue
    const taken = new Set<string>()
    for (const named of importedPaths(text)) {
      const imported = normalize(named.startsWith("~/") ? named.slice(2) : join(dirname(path), named))
      const isInside = !named.startsWith("/") && imported.startsWith(`${folder}/`) && TEXT.test(imported)
      const located = isInside ? await locateInHome(reading.home, imported) : undefined
      if (!located || located === "outside" || located.leadsTo !== undefined) continue
      taken.add(named)
      if (!added.has(imported)) waiting.push({ path: imported, real: located.real })
    }
    const plain = plainInstructions(text, (named) => taken.has(named))
    report(reading, path, plain)
    added.set(path, Buffer.from(plain.text))
  }
  return [...added].map(([path, content]) => ({ path, content }))
}

async function readSkills(reading: Reading, folder: string): Promise<void> {
  for (const { name } of await entriesOf(join(reading.home, folder))) {
    const path = join(folder, name)
    const located = name.startsWith(".") ? undefined : await reading.locate(path)
    if (!located) continue
    const added = await skillFiles(reading, path, located.real)
    if (added) reading.add({ kind: "skill", name, path, leadsTo: located.leadsTo }, added)
  }
}

/** Returns a skill's files. Returns undefined if the folder isn't a skill. */
async function skillFiles(reading: Reading, path: string, real: string): Promise<SetupFile[] | undefined> {
  const inside = await listed(reading, path, real)
  if (!inside.includes("SKILL.md")) return undefined
  const added: SetupFile[] = []
  for (const inner of inside) {
    const place = join(path, inner)
    // Such files name MCP servers that Codex installs.
    if (/(?:^|\/)agents\/[^/]*\.ya?ml$/i.test(inner)) reading.omit(place, "settings of a program")
    else if (/(?:^|\/)skill\.md$/i.test(inner)) {
      const text = await readText(reading, place, join(real, inner))
      const plain = text === undefined ? undefined : plainDocument(text, path.slice(path.lastIndexOf("/") + 1))
      if (!plain) {
        if (text !== undefined) reading.omit(path, "its header can't be read")
        return undefined
      }
      report(reading, place, plain)
      added.push({ path: place, content: Buffer.from(plain.text) })
    } else {
      const content = await readRegular(join(real, inner))
      if (content) added.push({ path: place, content })
      else reading.omit(place, "larger than 256 KiB, or unreadable")
    }
  }
  return added
}

async function readCommands(reading: Reading, { folder, format }: NonNullable<SetupSources["commands"]>) {
  const located = await reading.locate(folder)
  if (!located) return
  const extension = format === "toml" ? ".toml" : ".md"
  for (const inner of await listed(reading, folder, located.real)) {
    if (!inner.endsWith(extension)) continue
    const path = join(folder, inner)
    const text = await readText(reading, path, join(located.real, inner))
    if (text === undefined) continue
    const plain = format === "toml" ? plainTomlCommand(text) : plainDocument(text, inner.slice(0, -extension.length))
    if (plain) addText(reading, { kind: "command", path, leadsTo: located.leadsTo }, plain)
    else reading.omit(path, "it can't be read")
  }
}

async function readServers(reading: Reading, { servers: source }: SetupSources): Promise<void> {
  const located = await reading.locate(source.path)
  const bytes = located && (await readRegular(located.real, MAX_SETTINGS_BYTES))
  if (!bytes) return
  const { servers, omitted } = serversIn(bytes.toString(), source)
  for (const server of servers) reading.addServer(source.path, server)
  for (const { name, reason } of omitted) reading.omit(source.path, `the MCP server ${name}: ${reason}`)
}

/** Describes a server without the values of its variables and headers, which may be secret. */
function detailOf(server: SetupServer): string {
  const [what, secrets] =
    server.transport === "url" ? [server.url, server.headers] : [[server.command, ...server.args].join(" "), server.env]
  const names = Object.keys(secrets)
  return names.length > 0 ? `${what} (with ${names.join(", ")})` : what
}

function addText(
  reading: Reading,
  item: Pick<SetupItem, "kind" | "path"> & { leadsTo: string | undefined },
  plain: PlainText,
): void {
  report(reading, item.path, plain)
  reading.add({ ...item, name: item.path }, [{ path: item.path, content: Buffer.from(plain.text) }])
}

function report(reading: Reading, path: string, { removed }: PlainText): void {
  if (removed.length > 0) reading.omit(path, `without ${removed.slice(0, 10).join(", ")}`)
}

async function listed(reading: Reading, path: string, real: string): Promise<string[]> {
  const { files, skipped } = await filesBelow(real)
  for (const inner of skipped) reading.omit(join(path, inner), "a link, a hidden file, or beyond the limits")
  return files
}

async function readText(reading: Reading, path: string, real: string): Promise<string | undefined> {
  const bytes = await readRegular(real)
  if (bytes && isUtf8(bytes)) return bytes.toString()
  reading.omit(path, NO_TEXT)
  return undefined
}

function hashOf(files: SetupFile[]): string {
  const hash = createHash("sha256")
  for (const { path, content } of files.toSorted((one, other) => (one.path < other.path ? -1 : 1)))
    hash.update(JSON.stringify([path, content.length])).update(content)
  return hash.digest("hex")
}
