import type { Kind, Recipe } from "./project.ts"
import { capitalised, quoted, type Substitutions } from "./substitute.ts"

/** A function that takes a text and returns an answer. The code around it is in `recipes/tool`. */
export interface Tool {
  title: string
  phrases: string[]
  does: string[]
  kinds?: Kind[]
  summary: string
  features: string[]
  module: string
  call: string
  /** Name of the function's argument, and the label of its input field on a page. */
  input: { name: string; label: string }
  /** Verb for the server's route and the page's button. */
  verb: string
  example: Example
  /** An input that the tool rejects. */
  refuses: string
  differences?: Substitutions
}

interface Example {
  input: string
  /** Regular expression that the answer matches, both as JSON and as a line. */
  matches: string
  /** The answer, as shown in a README comment. */
  shown: string
}

export function toolRecipe({ input, module, call, verb, example, refuses, ...tool }: Tool): Recipe {
  const features = {
    server: `POST /${verb} answers in JSON, with clear errors`,
    cli: `Takes its ${input.name} from arguments`,
    library: "A module to import, without dependencies",
    page: "Answers while you type; works with a keyboard, on a phone, in light and dark",
  } satisfies Record<Kind, string>
  return {
    kinds: ["page", "server", "cli", "library"],
    ...tool,
    features: (kind) => [...tool.features, features[kind]],
    folders: [module, "tool", "collection"],
    module: "shouting",
    purpose: `The heart of it: ${call}().`,
    choices: {},
    fields: [],
    substitutions: () => ({
      "Phrase to shout": input.label,
      shouting: module,
      shout: call,
      phrase: input.name,
      perform: verb,
      Perform: capitalised(verb),
      '"?!"': quoted(refuses),
      '"so it is"': quoted(example.input),
      'value="so it is"': `value="${example.input}"`,
      "'so it is'": shellQuoted(example.input),
      '\'{"phrase":"so it is"}\'': shellQuoted(JSON.stringify({ [input.name]: example.input })),
      "/SO IT IS/": `/${example.matches}/`,
      '"SO IT IS"': example.shown,
    }),
  }
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
