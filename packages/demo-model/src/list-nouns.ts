import { phrases } from "./prompt-words.ts"
import { recipeFiles } from "./recipe-files.ts"

/** Returns the singular and plural for a plural noun, or undefined if either can't be a name in code. */
export function nounsOf(word: string): { noun: string; plural: string } | undefined {
  const plural = word.toLowerCase()
  const noun = singularOf(plural)
  if (!noun || !/^[a-z]{3,30}$/.test(plural) || [noun, plural].some((name) => isUsed(name))) return undefined
  return { noun, plural }
}

/** Returns the plural of a noun, or of the last of several words. */
export function pluralOf(words: string): string {
  return /[^aeo]y$/.test(words) ? `${words.slice(0, -1)}ies` : `${words}s`
}

const irregular: Record<string, string> = { cookies: "cookie", zombies: "zombie", people: "person", buses: "bus" }

function singularOf(plural: string): string | undefined {
  const known = Object.hasOwn(irregular, plural) ? irregular[plural] : undefined
  if (known || !/[^siu]s$/.test(plural)) return known
  if (plural.endsWith("ies")) return `${plural.slice(0, -3)}y`
  return /(ss|x|ch|sh|zz)es$/.test(plural) ? plural.slice(0, -2) : plural.slice(0, -1)
}

/** True if the word already has a meaning in a list's code. */
function isUsed(word: string): boolean {
  return keywords.has(word) || code().has(word)
}

/** Keywords that don't occur in the recipes. */
const keywords = new Set(
  phrases(`
    break, case, catch, class, debugger, default, delete, enum, extends, finally, interface, package, private,
    protected, public, static, super, switch, throw, void, while, yield, type, object, string
  `),
)

function code(): Set<string> {
  const files = Object.entries(recipeFiles).filter(([path]) => /^collection\/.*\.ts$/.test(path))
  return new Set(files.flatMap(([, text]) => text.match(/[a-z]+/g) ?? []))
}
