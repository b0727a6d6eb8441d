/**
 * Returns the origin of the server's URL for browsers. Throws if the URL contains anything after the origin, because
 * the studio, the API and links use paths from the root.
 */
export function serverOrigin(address: string): string {
  const { origin, href } = URL.parse(address) ?? {}
  if (origin === undefined) throw new Error("PUBLIC_URL must be an address such as https://switchyard.example.com.")
  if (href === `${origin}/`) return origin
  throw new Error(`PUBLIC_URL can't have a path. Give the server a host name of its own, and set only ${origin}.`)
}
