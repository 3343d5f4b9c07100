/** Shows the to-dos that are not done. */
exports.showOpen = async (fetch, baseUrl, list) => {
  const response = await fetch(`${baseUrl}/api/todos?completed=false&sort=-priority`);
  for (const { title } of await response.json()) {
    const item = list.ownerDocument.createElement('li');
    item.textContent = title;
    list.append(item);
  }
};
