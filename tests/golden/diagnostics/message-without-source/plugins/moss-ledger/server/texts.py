TITLE = "Herbs so far"
