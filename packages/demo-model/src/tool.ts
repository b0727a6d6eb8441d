import type { Kind, Language, Recipe } from "./project.ts"
import { capitalised, quoted, type Substitutions } from "./substitute.ts"

/** One function from a text to an answer: `recipes/tool` in other words, around a module of its own. */
export interface Tool {
  title: string
  phrases: string[]
  /** Phrases for what it does by itself. */
  does: string[]
  kind: Kind
  summary: string
  features: string[]
  /** The stem of its files, such as `text-stats`: the name of its folder, too. */
  module: string
  /** The function's name in TypeScript and in Python. Its one argument is always text. */
  call: { script: string; python: string }
  /** The name of that text, and the label of a field for it. */
  input: { name: string; label: string }
  /** The verb under which a server offers it. */
  route: string
  /** One input with its answer, or only the answer's length where chance decides it. */
  example: { input: string } & ({ result: Result } | { length: number })
  /** An input that it refuses, if there is one. */
  refuses?: string
  /** A command of its own, which doesn't read from a pipe. */
  ownCommand?: boolean
  differences?: Substitutions
}

type Result = string | number | Record<string, string | number>

export function toolRecipe(tool: Tool): Recipe {
  const { title, phrases, does, kind, summary, module, call, input, route, refuses, differences } = tool
  const features = {
    server: `POST /${route} answers in JSON, with clear errors`,
    cli: `Takes its ${input.name} from arguments${tool.ownCommand ? "" : ", or from a pipe"}`,
    library: "A module to import, without dependencies",
    page: "Answers while you type; works with a keyboard, on a phone, in light and dark",
  } satisfies Record<Kind, string>
  return {
    ...{ title, phrases, does, kind, summary, differences },
    features: (kind) => [...tool.features, features[kind]],
    folders: [module, "tool", "page"],
    module: "shouting",
    purposes: {
      module: (language) => `The heart of it: ${language === "python" ? call.python : call.script}().`,
      tests: "Tests for the module.",
      command: "The command: reads its text, prints the answer.",
    },
    refusesNothing: refuses === undefined,
    choices: {},
    ownFields: [],
    substitutions: (language) => ({
      "Sample Tool": title,
      "Says any phrase in capital letters.": summary,
      "Phrase to shout": input.label,
      shouting: language === "python" ? module.replaceAll("-", "_") : module,
      shout: language === "python" ? call.python : call.script,
      phrase: input.name,
      perform: route,
      Perform: capitalised(route),
      '"?!"': quoted(refuses ?? ""),
      ...exampleOf(tool),
      ...checksOf(tool, language),
    }),
  }
}

/** The example's input as code, HTML, shell and JSON in a shell have it. */
function exampleOf({ input, example }: Tool): Substitutions {
  const body = JSON.stringify({ [input.name]: example.input })
  return {
    '"so it is"': quoted(example.input),
    'value="so it is"': `value="${example.input}"`,
    "'so it is'": shellQuoted(example.input),
    '\'{"phrase":"so it is"}\'': shellQuoted(body),
  }
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The lines that hold the example's answer. */
function checksOf({ example }: Tool, language: Language): Substitutions {
  if ("length" in example) {
    const { length } = example
    return {
      ' "SO IT IS"\n```': " something else each time\n```",
      "result: unknown": "result: string",
      'equal(result, "SO IT IS")': `equal(result.length, ${length})`,
      'equal(stdout, "SO IT IS\\n")': `equal(stdout.trim().length, ${length})`,
      'Equal(body["result"], "SO IT IS")': `Equal(len(body["result"]), ${length})`,
      'Equal(done.stdout, "SO IT IS\\n")': `Equal(len(done.stdout.strip()), ${length})`,
    }
  }
  const { result } = example
  const literal = literalOf(result, language)
  if (typeof result !== "object") return { '"SO IT IS"': literal, '"SO IT IS\\n"': quoted(`${result}\n`) }
  const [[name, value] = []] = Object.entries(result)
  return {
    '"SO IT IS"': literal,
    'equal(result, "SO IT IS")': `deepEqual(result, ${literal})`,
    'equal(stdout, "SO IT IS\\n")': `match(stdout, /^${name} +${value}$/m)`,
    'Equal(done.stdout, "SO IT IS\\n")': `Regex(done.stdout, r"(?m)^${name} +${value}$")`,
  }
}

/** A value as source text. Only the keys of a record differ: Python wants them quoted. */
function literalOf(value: Result, language: Language): string {
  if (typeof value !== "object") return JSON.stringify(value)
  const python = language === "python"
  const parts = Object.entries(value).map(([key, part]) => `${python ? quoted(key) : key}: ${JSON.stringify(part)}`)
  return python ? `{${parts.join(", ")}}` : `{ ${parts.join(", ")} }`
}
