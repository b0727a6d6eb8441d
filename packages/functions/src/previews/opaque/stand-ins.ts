import { createStorage } from "../in-page/create-storage.ts"
import { standIn } from "../in-page/stand-in.ts"

/**
 * Returns the script that replaces missing features in a page without an origin. It runs before the page's own scripts.
 */
export function standInCode(address: string): string {
  return `(${standIn})(${JSON.stringify(new URL(address).pathname)},${createStorage});`
}
