import { toStrictJson } from "../../../text/lenient-json.ts"
import { extensionOf, nameOf } from "../facts/file-kinds.ts"
import { type Fault, faultAt, lineAt } from "../facts/finding.ts"
import { checkDockerfile } from "./dockerfile-errors.ts"
import { checkMakefile } from "./makefile-errors.ts"
import { checkXml } from "./xml-errors.ts"

/** Maximum number of characters to parse, because the libraries don't support a time limit. */
const MAX_CHARS = 200_000

/** Checks the syntax of JSON, TOML, YAML and XML files, makefiles and Dockerfiles. */
export async function checkDataFormat(path: string, text: string): Promise<Fault[]> {
  if (text.length > MAX_CHARS || text.trim() === "") return []
  if (nameOf(path) === "Dockerfile") return checkDockerfile(text)
  if (/^(?:GNU)?makefile$/i.test(nameOf(path))) return checkMakefile(text)
  switch (extensionOf(path)) {
    case "json":
      return checkJson(path, text)
    case "toml":
      return checkToml(text)
    case "yaml":
    case "yml":
      return checkYaml(text)
    case "xml":
    case "svg":
    case "csproj":
      return checkXml(text)
    default:
      return []
  }
}

/** Matches names of JSON files whose readers accept comments and trailing commas. */
const LENIENT_JSON =
  /^(?:[tj]sconfig[^/]*|\.?eslintrc|\.?babelrc|babel\.config|tslint|tsdoc|api-extractor[^/]*|biome|deno|turbo|nx|project|renovate|devcontainer|\.?(?:swc|jshint|nyc|prettier|lint)rc|typedoc|settings|launch|tasks|extensions|keybindings|language-configuration|wrangler)\.json$/

async function checkJson(path: string, text: string): Promise<Fault[]> {
  const read = LENIENT_JSON.test(nameOf(path)) ? toStrictJson(text) : text
  try {
    const value: unknown = JSON.parse(read.replace(/^\uFEFF/, ""))
    if (!MANIFEST.test(nameOf(path))) return []
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return [faultAt(1, "syntax", "the file must contain a single JSON object.")]
    }
    const { checkDuplicateKeys } = await import("./duplicate-keys.ts")
    return checkDuplicateKeys(read)
  } catch (error) {
    return [jsonFault(text, error as SyntaxError)]
  }
}

/** Matches names of files that are read as one object with fixed keys. */
const MANIFEST = /^(?:package|composer|manifest|[tj]sconfig[^/]*)\.json$/

/** Creates a fault from V8's error message, which contains the position unless the error is at the end of the text. */
function jsonFault(text: string, { message }: SyntaxError): Fault {
  const position = / at position (\d+)/.exec(message)?.[1]
  const end = text.trimEnd().length
  const line = lineAt(text, position === undefined ? end : Math.min(end, Number(position)))
  const [reason = ""] = message.split(/ (?:in JSON )?at position |, "/, 1)
  return faultAt(line, "syntax", `not valid JSON: ${reason}.`)
}

async function checkToml(text: string): Promise<Fault[]> {
  const { parse, TomlError } = await import("smol-toml")
  try {
    parse(text)
    return []
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [reason = ""] = error.message.split("\n", 1)
    return [faultAt(error.line, "syntax", `not valid TOML: ${reason.replace(/^Invalid TOML document: /, "")}.`)]
  }
}

/**
 * Template syntax, for example of Helm or Jinja. Such a file is used to generate YAML, and needn't be valid YAML
 * itself.
 */
const TEMPLATE = /\{\{|\{%|<%/

async function checkYaml(text: string): Promise<Fault[]> {
  if (TEMPLATE.test(text)) return []
  const { default: yaml } = await import("yaml")
  try {
    // `prettyErrors` is off, because it would copy the whole line for each error, and a long line may have an error at
    // every character.
    const documents = yaml.parseAllDocuments(text, { logLevel: "silent", prettyErrors: false, uniqueKeys: false })
    const error = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors)[0] : undefined
    if (!error) {
      const { checkDuplicateKeys } = await import("./duplicate-keys.ts")
      return Array.isArray(documents) && documents.length > 1 ? [] : checkDuplicateKeys(text)
    }
    return [faultAt(lineAt(text, error.pos[0]), "syntax", `not valid YAML: ${error.message}.`)]
  } catch (error) {
    if (error instanceof RangeError || error instanceof yaml.YAMLParseError) return []
    throw error
  }
}
