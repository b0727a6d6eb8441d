const { poolSize } = Buffer
Buffer.poolSize = 0

export function enableBufferPool(): void {
  Buffer.poolSize = poolSize
}
