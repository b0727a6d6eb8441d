/** The attached client that owns the terminal's size. */
export interface SizeOwner {
  /** Whether the client's size is applied: the first client owns the size, until it leaves or another takes it over. */
  requestSize(client: string, take: boolean): boolean
  release(client: string): void
}

export function createSizeOwner(): SizeOwner {
  let owner: string | undefined
  return {
    requestSize(client, take) {
      if (take || owner === undefined) owner = client
      return owner === client
    },
    release(client) {
      if (owner === client) owner = undefined
    },
  }
}
