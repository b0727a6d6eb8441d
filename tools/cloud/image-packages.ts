/** Maximum number of packages. Each one makes every container load more before it starts. */
const MOST = 100

/** Name of a Debian package. The last character can't be a minus, which tells apt to remove the package. */
const NAME = /^[a-z0-9][a-z0-9.+-]{0,60}[a-z0-9+]$/

/**
 * Parses RUNNER_PACKAGES: names of Debian packages, separated by spaces, for the runner's image. Throws for invalid
 * settings. Whether a package exists is checked when the image is built.
 */
export function readImagePackages(text: string | undefined, { agents }: { agents: boolean }): string[] {
  const names = [...new Set((text ?? "").split(/\s+/).filter(Boolean))]
  if (names.length === 0) return []
  if (!agents) throw new Error("RUNNER_PACKAGES needs AGENTS=on, because only agents work in containers.")
  const wrong = names.find((name) => !NAME.test(name))
  if (wrong !== undefined) {
    throw new Error(
      `RUNNER_PACKAGES: "${wrong.slice(0, 80)}" isn't the name of a Debian package. Separate names with spaces, for example "golang-go maven".`,
    )
  }
  if (names.length > MOST) throw new Error(`RUNNER_PACKAGES can name at most ${MOST} packages, not ${names.length}.`)
  return names
}

/** Parses RUNNER_BROWSER: true if the stage also builds an image with a browser. Throws for invalid settings. */
export function readRunnerBrowser(text: string | undefined, { agents }: { agents: boolean }): boolean {
  if (text && !["on", "off"].includes(text)) throw new Error('RUNNER_BROWSER must be "on" or "off".')
  if (text !== "on") return false
  if (!agents) throw new Error("RUNNER_BROWSER needs AGENTS=on, because only containers check pages.")
  return true
}
