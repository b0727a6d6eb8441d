/** The attached client that owns the terminal's size. */
export interface SizeOwner {
  /** Whether the client's size is applied: the first client owns the size, until it leaves or another takes it over. */
  requestSize(client: string, take: boolean): boolean
  attach(client: string): void
  /** A client that has left still owns the size until another reports one: a viewer that only reconnects comes right back. */
  release(client: string): void
}

export function createSizeOwner(): SizeOwner {
  let owner: string | undefined
  let isOwnerHere = false
  return {
    requestSize(client, take) {
      if (take || owner === undefined || !isOwnerHere) owner = client
      if (owner === client) isOwnerHere = true
      return owner === client
    },
    attach(client) {
      if (owner === client) isOwnerHere = true
    },
    release(client) {
      if (owner === client) isOwnerHere = false
    },
  }
}
