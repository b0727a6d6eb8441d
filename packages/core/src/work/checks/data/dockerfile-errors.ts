import { type Fault, faultAt } from "../facts/finding.ts"

const INSTRUCTIONS = new Set(
  "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR".split(
    " ",
  ),
)

/** A Dockerfile instruction, including its continuation lines. */
export interface Instruction {
  /** Name of the instruction, in upper case. */
  name: string
  rest: string
  /** 1-based line number. */
  line: number
}

/** Returns a Dockerfile's instructions. Undefined if it contains here-documents, which can be in any language. */
export function readDockerfile(text: string): Instruction[] | undefined {
  if (/<<-?["']?\w+|^#\s*(?:escape|syntax)\s*=(?!\s*docker\/dockerfile)/m.test(text)) return undefined
  const read: Instruction[] = []
  let goesOn = false
  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const line = whole.trim()
    if (line === "" || line.startsWith("#")) continue
    const last = read.at(-1)
    if (goesOn && last) last.rest += ` ${line.replace(/\\$/, "")}`
    else {
      const [name = ""] = line.split(/\s/, 1)
      read.push({ name: name.toUpperCase(), rest: line.slice(name.length).replace(/\\$/, "").trim(), line: index + 1 })
    }
    goesOn = line.endsWith("\\")
  }
  return read
}

/** Returns the first fault that makes Docker reject or misread a Dockerfile. */
export function checkDockerfile(text: string): Fault[] {
  const instructions = readDockerfile(text)
  if (!instructions) return []
  const unknown = instructions.find(({ name }) => !INSTRUCTIONS.has(name))
  if (unknown) return [faultAt(unknown.line, "syntax", `Docker has no instruction "${unknown.name.slice(0, 20)}".`)]
  const first = instructions.find(({ name }) => name !== "ARG")
  if (first && first.name !== "FROM") {
    return [faultAt(first.line, "syntax", `FROM must come first, not ${first.name}.`)]
  }
  const quoted = instructions.find(({ name, rest }) => /^(?:CMD|ENTRYPOINT)$/.test(name) && /^\[\s*'/.test(rest))
  if (!quoted) return checkStages(instructions)
  const message = `the words of ${quoted.name} need double quotes. With single quotes, Docker passes the whole text to a shell.`
  return [faultAt(quoted.line, "syntax", message)]
}

/** Finds a `COPY --from` that names a stage that doesn't exist. */
function checkStages(instructions: Instruction[]): Fault[] {
  const stages = new Set<string>()
  for (const { name, rest, line } of instructions) {
    if (name === "FROM") stages.add(/\bas\s+(\S+)/i.exec(rest)?.[1]?.toLowerCase() ?? "")
    const from = name === "COPY" ? /^--from=([\w-]+)(?=\s)/.exec(rest)?.[1]?.toLowerCase() : undefined
    // A name may also refer to an image such as "nginx", so only names that look like stages are checked.
    if (from === undefined || /^\d+$/.test(from) || stages.has(from) || !STAGE.test(from)) continue
    return [faultAt(line, "missing_name", `no earlier stage is named "${from}".`)]
  }
  return []
}

const STAGE = /build|deps|base|stage|compile|install|source|test/
