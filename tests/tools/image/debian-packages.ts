import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Returns the Debian packages that `tools/image/system.sh` installs. */
export function debianPackages(): string[] {
  const script = readFileSync(join(import.meta.dirname, "../../../tools/image/system.sh"), "utf8")
  return /^PACKAGES="([^"]+)"$/m.exec(script)?.[1]?.split(/\s+/).filter(Boolean) ?? []
}
