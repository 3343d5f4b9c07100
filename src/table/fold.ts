export function fold(text: string): string {
  return text.toLowerCase();
}
