const MAX_CHARS = 50

/** Returns the default name of a bake-off's entrant, made from its agent and the requested model. */
export function entrantName({ agent, model }: { agent: string; model: string | null | undefined }): string {
  const words = [agent, model ?? ""].map((word) => word.replaceAll(/[^A-Za-z0-9._-]+/g, "-")).filter(Boolean)
  const name = words.join("-").replace(/^[^A-Za-z0-9]+/, "")
  return name.slice(0, MAX_CHARS) || "entrant"
}

/** Returns the wanted names. If a name is already in use, ignoring case, appends a number to it. */
export function freeNames(wanted: string[], isTaken: (name: string) => boolean): string[] {
  const given = new Set<string>()
  return wanted.map((name) => {
    for (let number = 1; ; number++) {
      const tried = number === 1 ? name : `${name}-${number}`
      if (given.has(tried.toLowerCase()) || isTaken(tried)) continue
      given.add(tried.toLowerCase())
      return tried
    }
  })
}
