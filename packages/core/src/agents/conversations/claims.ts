import type { LogEvent, NewEvent } from "../../events.ts"
import { trimEndWhere, withoutSlashes } from "../../text/trim.ts"
import { clip } from "../protocols/tool-kinds.ts"

/** Files that an agent's tools wrote successfully. */
export interface WrittenFiles {
  see(events: (NewEvent | LogEvent)[]): void
  /** Paths as they are in events: relative to the project folder for files inside it. */
  paths(): string[]
}

export function createWrittenFiles(): WrittenFiles {
  /** Paths that running tool calls are writing to, by call ID. */
  const writing = new Map<string, string>()
  const written = new Set<string>()
  return {
    see(events) {
      for (const event of events) {
        if (event.type === "tool_call_started" && (event.tool === "write" || event.tool === "edit")) {
          if (event.path !== undefined) writing.set(event.tool_call_id, event.path)
        } else if (event.type === "tool_call_finished") {
          const path = writing.get(event.tool_call_id)
          if (path !== undefined && event.exit_code === 0) written.add(path)
          writing.delete(event.tool_call_id)
        } else if (event.type === "agent_changes_reverted") {
          for (const path of event.files) written.delete(path)
        }
      }
    },
    paths: () => [...written],
  }
}

const MAX_CLAIMS = 200
const CLAIM_CHARS = 200

/**
 * Returns the claimed files that aren't known to have changed. `changed` contains both names of a renamed file, and may
 * contain folders. A claim is supported if it names a changed file, a folder above it or the end of its path. A remark
 * is supported if it contains such a name.
 */
export function unsupportedClaims(claims: string[], changed: string[]): string[] {
  const known = changed.map((path) => `/${path}`)
  const isKnown = (name: string) => name !== "" && known.some((path) => isNamed(path, name))
  const names = claims.slice(0, MAX_CLAIMS).map((claim) => withoutQuotes(clip(claim.trim(), CLAIM_CHARS)))
  return names.filter((name) => !NO_FILE.test(name) && ![name, ...name.split(/[\s,;:()]+/)].some(isKnown))
}

/** Placeholders that agents write instead of an empty list. */
const NO_FILE = /^(?:|none|nothing|null|n\/?a|-+|info_only|no (?:changes|files).*)$/i

/** True if a name means this path, or a folder above this path, or something inside it. `path` begins with a slash. */
function isNamed(path: string, name: string): boolean {
  const [plain = ""] = name.replace(/^\.\//, "").split(/[*{]/)
  if (plain !== name.replace(/^\.\//, "")) return path.startsWith(`/${plain}`)
  const place = `/${withoutSlashes(plain)}`
  return path.endsWith(place) || path.startsWith(`${place}/`) || place.startsWith(`${path}/`)
}

function withoutQuotes(text: string): string {
  return trimEndWhere(text.replace(/^(?:[-*] )?[`'"]*/, ""), (char) => /[`'"]/.test(char))
}
