import { phrases } from "./prompt-words.ts"
import { recipeFiles } from "./recipe-files.ts"

/** The thing that a plural names, where both can be names in code; undefined if it is no plain plural. */
export function nounsOf(word: string): { noun: string; plural: string } | undefined {
  const plural = word.toLowerCase()
  const noun = singularOf(plural)
  if (!noun || !/^[a-z]{3,30}$/.test(plural) || [noun, plural].some((name) => isUsed(name))) return undefined
  return { noun, plural }
}

const irregular: Record<string, string> = { cookies: "cookie", zombies: "zombie", people: "person", buses: "bus" }

function singularOf(plural: string): string | undefined {
  const known = Object.hasOwn(irregular, plural) ? irregular[plural] : undefined
  if (known || !/[^siu]s$/.test(plural)) return known
  if (plural.endsWith("ies")) return `${plural.slice(0, -3)}y`
  return /(ss|x|ch|sh|zz)es$/.test(plural) ? plural.slice(0, -2) : plural.slice(0, -1)
}

/** Whether the code of a list has the word for something else. */
function isUsed(word: string): boolean {
  return keywords.has(word) || code().has(word)
}

/** Words of the languages that the recipes don't have. */
const keywords = new Set(
  phrases(`
  break, case, catch, class, debugger, default, delete, enum, extends, finally, interface, package, private,
  protected, public, static, super, switch, throw, void, while, yield, assert, except, global, lambda, nonlocal,
  pass, raise, print, type, object, string
`),
)

function code(): Set<string> {
  const files = Object.entries(recipeFiles).filter(([path]) => /^collection\/.*\.(ts|py)$/.test(path))
  return new Set(files.flatMap(([, text]) => text.match(/[a-z]+/g) ?? []))
}
