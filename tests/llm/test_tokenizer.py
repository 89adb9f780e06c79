from policies.llm.chat import Chat
from policies.llm.tokenizer import number_ids


def test_any_text_survives(tokenizer):
    text = '<tool_call>{"name": "x"}</tool_call> 1234 BLOOD-RBC é \n\t "70%" QT-17'
    assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


def test_words_of_the_game_are_single_tokens(tokenizer, medium):
    for word in [*medium.skus, *medium.suppliers, *medium.wards, "<tool_call>", '"70%"', "137", " 95"]:
        assert len(tokenizer.encode(word, add_special_tokens=False)) == 1, word


def test_pad_is_not_the_end_of_a_turn(tokenizer):
    assert tokenizer.pad_token_id != tokenizer.eos_token_id


def test_numbers_have_their_values(tokenizer):
    values = number_ids(tokenizer)
    assert values[tokenizer.convert_tokens_to_ids("137")] == 137.0
    assert values[tokenizer.convert_tokens_to_ids(" 95")] == 95.0
    assert values[tokenizer.convert_tokens_to_ids('"70%"')] == 70.0


def test_pieces_join_to_what_the_template_renders(tokenizer):
    chat = Chat(tokenizer, "S.")
    messages = [
        {"role": "system", "content": "S."},
        {"role": "user", "content": "brief 12"},
        {"role": "assistant", "content": "<tool_call>{}</tool_call>"},
        {"role": "tool", "content": "ok"},
    ]
    whole = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    turn = [*chat.encode("<tool_call>{}</tool_call>"), chat.end]
    ids = chat.opening("brief 12") + turn + chat.following("ok")
    assert tokenizer.decode(ids) == whole
    assert chat.decode(turn) == "<tool_call>{}</tool_call>"
