/** Milliseconds as people read them. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return 'never';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
