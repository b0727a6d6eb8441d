import type { Blobs } from "./blobs.ts"

/** Creates blobs that load their adapter on first use, because many requests don't use any blobs. */
export function createLazyBlobs(load: () => Promise<Blobs>): Blobs {
  let loaded: Promise<Blobs> | undefined
  const blobs = () => {
    loaded ??= load()
    return loaded
  }
  return {
    put: async (...given) => (await blobs()).put(...given),
    copy: async (...given) => (await blobs()).copy(...given),
    get: async (...given) => (await blobs()).get(...given),
    head: async (...given) => (await blobs()).head(...given),
    async *list(...given) {
      yield* (await blobs()).list(...given)
    },
    remove: async (...given) => (await blobs()).remove(...given),
    signedUrl: async (...given) => (await blobs()).signedUrl(...given),
  }
}
